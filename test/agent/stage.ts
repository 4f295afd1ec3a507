import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect } from "vitest";
import type { World } from "../../src/agent/fixtures/agent-run.ts";
import { commonFields, type EventName, eventRow } from "../../src/protocol/internal.ts";

export type Payload = Readonly<Record<string, unknown>>;

/** Payloads of an event, as soon as there are `count`. */
export async function heard({ payloads }: World, event: EventName, count = 1): Promise<readonly Payload[]> {
  await expect.poll(() => payloads(event).length).toBeGreaterThanOrEqual(count);
  return payloads(event);
}

const folder = resolve(import.meta.dirname, "../fixtures/payloads");

/** Keys and their order are those of a payload that the real client sent. `own` are keys that only Hookline sends. */
export function expectRecorded(event: EventName, payload: Payload | undefined, own: readonly string[] = []): void {
  const lines = readFileSync(resolve(folder, `${event}.jsonl`), "utf8")
    .trim()
    .split("\n");
  const recorded = lines.map((line) => Object.keys(JSON.parse(line) as Payload));
  const keys = Object.keys(payload ?? {}).filter((key) => !own.includes(key));
  const known = new Set(recorded.flat());
  const surplus = keys.filter((key) => !known.has(key));
  const where = `test/fixtures/payloads/${event}.jsonl`;
  expect(surplus, `keys that no payload of ${where} has`).toEqual([]);
  expect(recorded.map(String), `the keys of one payload of ${where}`).toContain(String(keys));
}

/** Where nothing could be recorded, the published type is the measure: common fields, then the event's own in its row's order. */
export function expectDeclared(event: EventName, payload: Payload | undefined): void {
  const known = [...Object.keys(commonFields), ...Object.keys(eventRow(event).fields)];
  const keys = Object.keys(payload ?? {});
  expect(keys).toEqual(known.filter((key) => keys.includes(key)));
  for (const [name, { optional }] of Object.entries(eventRow(event).fields) as [string, { optional?: boolean }][]) {
    if (!optional) expect(keys).toContain(name);
  }
}

/** An answer's JSON for an event. */
export function specific(hookEventName: EventName, fields: object): Record<string, unknown> {
  return { hookSpecificOutput: { hookEventName, ...fields } };
}

/** A script that does something the first time only. */
export function once(name: string, doing: string): string {
  return `test -e "$HOME/${name}" && exit 0; touch "$HOME/${name}"; ${doing}`;
}

export const bash = (command: string): { calls: { tool: string; input: { command: string } }[] } => ({
  calls: [{ tool: "Bash", input: { command } }],
});

/** Shell text that waits until a file is there. */
export const untilThere = (file: string): string => `until [ -e '${file}' ]; do sleep 0.02; done`;

/** Shell text that waits until hooks have recorded a payload with this text. */
export const untilRecorded = ({ project }: World, text: string): string =>
  `until grep -qs '${text}' '${join(dirname(project), "seen")}'/*.json; do sleep 0.02; done`;

export const allowed = {
  permissions: { allow: ["Bash", "Read", "Write", "Edit", "Agent", "TaskCreate", "TaskUpdate"] },
};

export interface Result {
  readonly type: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

/** The tool results in the last message of a request. */
export function resultsIn(request: { messages: readonly { content: unknown }[] } | undefined): readonly Result[] {
  const blocks = (request?.messages ?? []).flatMap(({ content }) =>
    Array.isArray(content) ? (content as Result[]) : [],
  );
  return blocks.filter(({ type }) => type === "tool_result");
}

/** Everything a request tells the model. */
export function toldIn(request: { messages: readonly unknown[] } | undefined): string {
  return JSON.stringify(request?.messages ?? []);
}
