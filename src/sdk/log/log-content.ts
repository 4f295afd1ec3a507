import { withoutSecrets } from "../../protocol/index.ts";
import type { Spelled } from "../answer/wire-answer.ts";
import type { HookEvent } from "../app/hook-event.ts";

const longest = 4_096;

/** What went in and out, for a log whose owner asked for it: cut, and without what looks like a secret. */
export function contentOf(event: HookEvent, spelled: Spelled): Readonly<Record<string, string>> {
  const parts = { input: event["input"], response: event["response"], prompt: event["prompt"], output: spelled.wire };
  const shown = Object.entries(parts).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(shown.map(([name, value]) => [name, cut(textOf(withoutSecrets(value)))]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function cut(text: string): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
