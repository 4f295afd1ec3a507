import { writeSync } from "node:fs";
import { join } from "node:path";
import { makeFolderSync, openFlags, withFileSync } from "../../files/internal.ts";
import { messageOf, withoutSecrets } from "../../protocol/internal.ts";
import type { WireAnswer } from "../answer/wire-answer.ts";
import type { HookEvent } from "../app/hook-event.ts";
import { readPayload } from "../run/read-payload.ts";

const longest = 4_096;

/** Inputs and outputs for a log with `content`: cut, and without what looks like a secret. */
export function loggedContent(event: HookEvent, wireAnswer: WireAnswer): Readonly<Record<string, string>> {
  const parts = {
    input: event["input"],
    response: event["response"],
    prompt: event["prompt"],
    output: wireAnswer.wire,
  };
  const shown = Object.entries(parts).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(shown.map(([name, value]) => [name, cutText(withoutSecrets(value))]));
}

function cutText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/**
 * Keeps a payload as a fixture for tests: one line in a file per event, without what looks like a secret.
 * Contract: whole lines, many writers; a failure is reported and changes no answer.
 */
export function recordPayload(folder: string, text: string, complain: (line: string) => void): void {
  const payload = readPayload(text);
  if ("fault" in payload) {
    complain(`The payload was not kept: ${payload.fault}.`);
    return;
  }
  try {
    makeFolderSync(folder);
    const path = join(folder, `${nameOf(payload.value["hook_event_name"])}.jsonl`);
    const line = `${JSON.stringify(withoutSecrets(payload.value))}\n`;
    withFileSync(path, openFlags.appending, (file) => writeSync(file, line));
  } catch (error) {
    complain(`The payload was not kept in ${folder}: ${messageOf(error)}`);
  }
}

/** The name of an event comes from outside and is not used as a file name unchecked. */
function nameOf(event: unknown): string {
  return typeof event === "string" && /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(event) ? event : "unknown";
}
