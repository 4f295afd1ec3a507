import { expect, test } from "vitest";
import { documentOf } from "../export/export-session.ts";
import { toHtml } from "../export/html.ts";
import { toMarkdown } from "../export/markdown.ts";
import { toEntry } from "../formats/claude-code/to-entry.ts";
import { elementFacts } from "../query/query-filters.ts";
import { searchTexts } from "../query/search-hits.ts";
import type { TranscriptItem } from "./entry.ts";
import { modelOf } from "./session-model.ts";
import { statsOf } from "./session-stats.ts";

/** Numbers below `limit`, the same on every run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % limit;
  };
}

const report = "<task-notification><task-id>a</task-id><tool-use-id>u1</tool-use-id>";
const values = [
  null,
  true,
  false,
  0,
  -1,
  1e20,
  "",
  "x",
  "u1",
  "u2",
  "u3",
  "u4",
  [],
  {},
  [1],
  "2026-01-01T00:00:00Z",
  report,
];
const types = [
  "user",
  "assistant",
  "system",
  "attachment",
  "summary",
  "progress",
  "last-prompt",
  "mode",
  "custom-title",
  "queue-operation",
  "x",
];
const keys = [
  "uuid",
  "parentUuid",
  "isSidechain",
  "timestamp",
  "sessionId",
  "cwd",
  "requestId",
  "leafUuid",
  "snapshot",
  "logicalParentUuid",
  "toolUseResult",
  "isMeta",
  "isCompactSummary",
  "agentId",
  "origin",
  "content",
  "customTitle",
  "summary",
  "operation",
  "durationMs",
  "isApiErrorMessage",
  "toolUseID",
];

/** Records whose every field may hold anything. */
function records(next: (limit: number) => number) {
  const value = () => values[next(values.length)];
  const some = (names: readonly string[], make: (name: string) => unknown = value) =>
    Object.fromEntries(names.filter(() => next(2) === 1).map((name) => [name, make(name)]));
  const block = (): unknown => ({
    type: ["text", "tool_use", "tool_result", "thinking", "image", "weird"][next(6)],
    ...some(["text", "id", "name", "input", "tool_use_id", "is_error", "thinking", "source"]),
    ...(next(3) === 0 ? { content: [{ type: "text", text: value() }] } : {}),
  });
  const message = () => ({
    ...some(["id", "model", "role", "stop_reason"]),
    ...(next(5) === 0 ? {} : { content: next(3) === 0 ? value() : Array.from({ length: next(4) }, block) }),
    ...(next(2) === 0 ? {} : { usage: some(["input_tokens", "output_tokens", "iterations", "cache_creation"]) }),
  });
  return (): Record<string, unknown> => ({
    ...(next(8) === 0 ? {} : { type: types[next(types.length)] }),
    ...some(keys, (name) => (name.startsWith("is") ? next(4) === 0 : value())),
    ...(next(6) === 0 ? { message: value() } : { message: message() }),
    attachment: {
      type: ["hook_success", "queued_command", "hook_permission_decision", "hook_deferred_tool"][next(4)],
      ...some(["toolUseID", "prompt", "decision"]),
    },
    subtype: ["compact_boundary", "turn_duration", "x"][next(3)],
    compactMetadata: some(["preservedSegment", "preTokens", "trigger"]),
    data: { message: { type: "assistant", message: message() } },
  });
}

test("whatever a record contains, the model, its figures, its exports and its searches can be computed", () => {
  const next = numbers(7);
  const record = records(next);
  const items = (count: number): TranscriptItem[] =>
    Array.from({ length: count }, (_, index) =>
      toEntry({
        kind: "record",
        file: "f",
        offset: index * 10,
        length: 9,
        line: index + 1,
        object: record(),
        lossy: false,
        recovered: false,
        unterminated: false,
        raw: () => new Uint8Array(),
      }),
    );
  const place = { id: "s", root: { path: "/", origin: "client" } as const, project: "p", folder: "/", file: "f" };
  const files = { main: "f", agents: [], workflows: [], toolResults: [], others: [] };
  let seen = 0;
  for (let run = 0; run < 300; run++) {
    const agents = [
      { id: "a", file: "g", meta: { toolUseId: "u1" }, items: items(next(6)) },
      { id: "b", file: "h", meta: { parentAgentId: "a" }, items: items(next(6)) },
    ];
    const model = modelOf({ place, files, main: items(next(25)), agents });
    statsOf(model);
    model.drift();
    for (const { leaf } of model.main.branches.list()) model.main.turns(leaf);
    model.main.context();
    const document = documentOf(model, { agents: true, thinking: true, results: true });
    toMarkdown(document);
    toHtml(document);
    for (const element of [...model.main.entries, ...model.toolCalls, ...model.agents]) elementFacts(element).text();
    for (const entry of model.main.entries) searchTexts(entry);
    seen += model.main.entries.length;
  }
  expect(seen).toBeGreaterThan(2000);
});
