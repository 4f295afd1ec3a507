import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  answer,
  attachment,
  prompt,
  recorded,
  result,
  sidechain,
  system,
  type Wire,
} from "../../fixtures/transcript.ts";
import type { Entry, TranscriptItem } from "../../model/entry.ts";
import type { JsonRecord } from "../../read/json-records.ts";
import { readEntries } from "../../read/read-entries.ts";
import { formatDriftOf } from "./format-drift.ts";
import { toEntry } from "./to-entry.ts";

const raw = () => new Uint8Array();

function entryOf(object: Wire): Entry {
  const record: JsonRecord = {
    kind: "record",
    file: "f",
    offset: 0,
    length: 1,
    line: 1,
    object,
    lossy: false,
    recovered: false,
    unterminated: false,
    raw,
  };
  return toEntry(record);
}

async function recordedItems(): Promise<TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for (const name of readdirSync(recorded, { recursive: true, encoding: "utf8" }).sort()) {
    if (!name.endsWith(".jsonl") || name.startsWith("_")) continue;
    for await (const batch of readEntries(join(recorded, name))) items.push(...batch);
  }
  return items;
}

test("an entry has our names, its place, and the fields we do not know in extra", () => {
  const line = answer(
    null,
    "hi",
    { id: "m1" },
    { uuid: "u1", timestamp: "t", newField: 1, requestId: "r1", costUSD: 2 },
  );
  expect(entryOf(line)).toEqual({
    kind: "assistant",
    file: "f",
    offset: 0,
    length: 1,
    line: 1,
    raw,
    content: [{ type: "text", text: "hi" }],
    stopReason: "end_turn",
    messageId: "m1",
    model: "claude-opus-4-8",
    usage: { input_tokens: 100, output_tokens: 10 },
    uuid: "u1",
    parentUuid: null,
    isSidechain: false,
    timestamp: "t",
    userType: "external",
    entrypoint: "cli",
    cwd: "/home/dev/project",
    sessionId: "s1",
    version: "2.1.197",
    gitBranch: "main",
    requestId: "r1",
    costUsd: 2,
    extra: { newField: 1 },
  });
});

test("a known field of an odd type is kept in extra and does not cost the entry", () => {
  const line = answer(null, "hi", {}, { gitBranch: 5, version: null, cwd: [] });
  expect(entryOf(line)).toMatchObject({ kind: "assistant", extra: { gitBranch: 5, version: null, cwd: [] } });
  expect(entryOf({ type: "assistant", message: { id: 7, content: null, usage: 1, stop_reason: {} } })).toMatchObject({
    kind: "assistant",
    uuid: "",
    content: [],
    stopReason: null,
    messageExtra: { id: 7, usage: 1, stop_reason: {} },
  });
});

test("metadata of a compaction in an odd shape is kept aside, so that no reader trips over it", () => {
  const fine = { trigger: "auto", preTokens: 5, preservedMessages: { uuids: ["u"], allUuids: ["u", "v"] } };
  expect(entryOf(system(null, "compact_boundary", { compactMetadata: fine }))).toMatchObject({ compactMetadata: fine });
  for (const odd of [{ preTokens: "5" }, { preservedMessages: { uuids: "u" } }, { preservedSegment: 1 }]) {
    const entry = entryOf(system(null, "compact_boundary", { compactMetadata: odd }));
    expect(entry).toMatchObject({ kind: "system", extra: { compactMetadata: odd } });
    expect("compactMetadata" in entry && entry.compactMetadata).toBeUndefined();
  }
});

test("a field named __proto__ is data", () => {
  const entry = entryOf(JSON.parse('{"type":"mode","mode":"a","__proto__":{"evil":true}}') as Wire);
  expect(Object.keys(entry.extra ?? {})).toEqual(["__proto__"]);
  expect("evil" in entry || "evil" in {}).toBe(false);
});

test("unknown types and subtypes, and known ones in a wrong shape, stay verbatim and in the graph", () => {
  const threaded = { uuid: "u", parentUuid: "p", timestamp: "t", version: "9.0.0" };
  const news = { type: "telepathy", ...threaded };
  expect(entryOf(news)).toMatchObject({
    kind: "other",
    name: "telepathy",
    object: news,
    uuid: "u",
    parentUuid: "p",
    version: "9.0.0",
  });
  expect(entryOf({ type: "system", subtype: "new", ...threaded })).toMatchObject({
    kind: "other",
    name: "system/new",
    uuid: "u",
  });
  const odd = attachment(prompt(null, "x"), { type: "hologram" });
  expect(entryOf(odd)).toMatchObject({ kind: "other", name: "attachment/hologram", object: odd });
  expect(entryOf({ type: "user", message: "x" })).toMatchObject({
    kind: "other",
    name: "user",
    why: "message is not an object",
  });
  expect(entryOf({ type: "user", message: { content: 5 } })).toMatchObject({
    kind: "other",
    why: "message.content is neither text nor a list",
  });
  expect(entryOf({ type: "mode", mode: 5 })).toMatchObject({ kind: "other", name: "mode", why: "mode is not text" });
  expect(entryOf({ hello: 1 })).toMatchObject({ kind: "other", name: "", object: { hello: 1 } });
  expect(entryOf({ type: 5 })).toMatchObject({ kind: "other", name: "", object: { type: 5 } });
  for (const type of ["constructor", "toString", "__proto__"]) expect(entryOf({ type }).kind).toBe("other");
});

test("every bare type is known; one that carries uuid and parentUuid is a node", () => {
  const lines: Wire[] = [
    { type: "queue-operation", operation: "remove", timestamp: "t", sessionId: "s" },
    { type: "last-prompt", leafUuid: "u", sessionId: "s" },
    { type: "mode", mode: "normal", sessionId: "s" },
    { type: "permission-mode", permissionMode: "default", sessionId: "s" },
    { type: "ai-title", aiTitle: "a", sessionId: "s" },
    { type: "custom-title", customTitle: "c", sessionId: "s" },
    { type: "agent-name", agentName: "n", sessionId: "s" },
    { type: "worktree-state", worktreeSession: null, sessionId: "s" },
    { type: "file-history-snapshot", messageId: "m", snapshot: {}, isSnapshotUpdate: false },
    { type: "file-history-delta", messageId: "m" },
    { type: "bridge-session", bridgeSessionId: "b" },
    { type: "cost-state" },
    { type: "frame-link" },
    { type: "pr-link" },
    { type: "summary", summary: "s", leafUuid: "u" },
    { type: "result" },
    { type: "progress", uuid: "u", parentUuid: "p", toolUseID: "t", data: { a: 1 } },
  ];
  expect(lines.map((line) => entryOf(line).kind)).toEqual(lines.map((line) => line["type"]));
  expect(entryOf(lines.at(-1) as Wire)).toMatchObject({
    uuid: "u",
    parentUuid: "p",
    isSidechain: false,
    toolUseId: "t",
  });
  expect("uuid" in entryOf(lines[0] as Wire)).toBe(false);
});

test("every attachment and system subtype of the list is known", () => {
  const hooks = [
    "hook_success",
    "hook_non_blocking_error",
    "hook_blocking_error",
    "hook_additional_context",
    "hook_system_message",
    "hook_stopped_continuation",
    "hook_cancelled",
    "hook_error_during_execution",
    "hook_deferred_tool",
    "hook_permission_decision",
    "async_hook_response",
  ];
  const others = [
    "agent_listing_delta",
    "skill_listing",
    "deferred_tools_delta",
    "nested_memory",
    "file",
    "invoked_skills",
    "command_permissions",
    "queued_command",
    "task_reminder",
    "total_tokens_reminder",
  ];
  for (const type of [...hooks, ...others]) {
    const line = attachment(prompt(null, "x"), {
      type,
      hookName: "H",
      hookEvent: "Stop",
      toolUseID: "t",
      content: "c",
    });
    expect(entryOf(line)).toMatchObject({
      kind: "attachment",
      type,
      hookName: "H",
      hookEvent: "Stop",
      toolUseId: "t",
      fields: { content: "c" },
    });
  }
  for (const subtype of [
    "compact_boundary",
    "stop_hook_summary",
    "turn_duration",
    "local_command",
    "informational",
    "tool_result",
  ]) {
    expect(entryOf(system(null, subtype, { session_id: "old" }))).toMatchObject({
      kind: "system",
      subtype,
      ancestorSessionId: "old",
    });
  }
});

test("blocks have our names, unknown ones stay verbatim, input that is not an object is kept", () => {
  const content = [
    { type: "thinking", thinking: "hm", signature: "s" },
    { type: "redacted_thinking", data: "d" },
    { type: "tool_use", id: "t1", name: "Bash", input: "not parsed {", caller: "x" },
    { type: "server_tool_use", id: "t2", name: "web_search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "t2", content: [] },
    { type: "advisor_tool_result", tool_use_id: "t3", content: "a" },
    { type: "compaction", content: "c" },
    { type: "image", source: { type: "base64" } },
    { type: "document", source: {}, title: "d" },
    { type: "hologram", depth: 3 },
    { type: "tool_use", id: 5 },
    "text",
  ];
  expect((entryOf(answer(null, content as Wire[])) as { content: unknown }).content).toEqual([
    { type: "thinking", thinking: "hm", signature: "s" },
    { type: "redacted_thinking", data: "d" },
    { type: "tool_use", id: "t1", name: "Bash", input: "not parsed {", extra: { caller: "x" } },
    { type: "server_tool_use", id: "t2", name: "web_search", input: {} },
    { type: "web_search_tool_result", toolUseId: "t2", content: [] },
    { type: "advisor_tool_result", toolUseId: "t3", content: "a" },
    { type: "compaction", content: "c" },
    { type: "image", source: { type: "base64" } },
    { type: "document", source: {}, extra: { title: "d" } },
    { type: "unknown", unknown: { type: "hologram", depth: 3 } },
    { type: "unknown", unknown: { type: "tool_use", id: 5 } },
    { type: "unknown", unknown: "text" },
  ]);
});

test("a result without is_error is a success, its text content is remembered as text", () => {
  const line = result(prompt(null, "x"), "t1", "out", { toolUseResult: "Error: no" });
  expect(entryOf(line)).toMatchObject({
    role: "result",
    toolUseResult: "Error: no",
    content: [
      {
        type: "tool_result",
        toolUseId: "t1",
        content: [{ type: "text", text: "out" }],
        contentWasText: true,
        isError: false,
      },
    ],
  });
  expect(entryOf(prompt(null, "x"))).toMatchObject({ content: [{ type: "text", text: "x" }], contentWasText: true });
});

test("what a user line is", () => {
  const roleOf = (line: Wire) => {
    const entry = entryOf(line);
    return entry.kind === "user" ? `${entry.role}${entry.source ? ` ${entry.source}` : ""}` : entry.kind;
  };
  const text = (content: string, more: Wire = {}) => prompt(null, content, { promptSource: undefined, ...more });
  expect(roleOf(result(text("x"), "t1", "ok", { isMeta: true }))).toBe("result");
  expect(roleOf(text("x", { isCompactSummary: true, isMeta: true }))).toBe("summary");
  expect(roleOf(text("<command-name>/x</command-name>", { isMeta: true }))).toBe("meta");
  expect(roleOf(text("<command-name>/x</command-name>"))).toBe("command");
  expect(roleOf(text("<command-message>x</command-message>\n<command-name>/x</command-name>"))).toBe("command");
  expect(roleOf(text("<local-command-stdout>x"))).toBe("command-output");
  expect(roleOf(text("<local-command-stderr>x"))).toBe("command-output");
  expect(roleOf(text("[Request interrupted by user]"))).toBe("interrupt");
  expect(roleOf(text("[Request interrupted by user for tool use]"))).toBe("interrupt");
  expect(roleOf(text("[Request interrupted by user] and more"))).toBe("prompt unknown");
  expect(roleOf(text("x", { origin: { kind: "task-notification" } }))).toBe("notification");
  expect(roleOf(text("<task-notification>x"))).toBe("notification");
  expect(roleOf(text('<teammate-message teammate_id="a">x'))).toBe("teammate");
  expect(roleOf(text('A lead line\n<teammate-message teammate_id="a">x'))).toBe("teammate");
  expect(roleOf(text("<teammate-message>x", { origin: { kind: "human" } }))).toBe("prompt unknown");
  expect(roleOf(text("x", { promptSource: "typed" }))).toBe("prompt typed");
  expect(roleOf(text("x", { promptSource: "sdk" }))).toBe("prompt sdk");
  expect(roleOf(text("x", { promptSource: "system" }))).toBe("prompt system");
  expect(roleOf(sidechain("a1", text("x", { promptSource: "typed" })))).toBe("prompt agent");
});

test("the census of the recorded transcripts holds no surprise", async () => {
  const items = await recordedItems();
  const kinds: Record<string, number> = {};
  for (const item of items) kinds[item.kind] = (kinds[item.kind] ?? 0) + 1;
  expect(kinds).toEqual({
    "agent-name": 1,
    "ai-title": 1,
    assistant: 127,
    attachment: 64,
    "custom-title": 1,
    "file-history-snapshot": 26,
    "last-prompt": 27,
    mode: 10,
    "permission-mode": 6,
    "queue-operation": 36,
    system: 40,
    user: 141,
    "worktree-state": 2,
  });
  expect(formatDriftOf(items)).toEqual([]);
});

test("drift counts unknown types and fields per version of Claude Code", () => {
  const line = answer(null, [{ type: "text", text: "x", glow: 1 }], {}, { version: "3.0.0", zeal: 1 });
  const items = [
    line,
    { ...line, message: { ...(line["message"] as Wire), mood: "good" } },
    { type: "telepathy" },
    answer(null, [{ type: "hologram" }], {}, { version: "4.0.0" }),
    { type: "user", version: "4.0.0" },
  ].map((wire) => entryOf(wire));
  expect(formatDriftOf(items)).toEqual([
    {
      version: "3.0.0",
      unknownTypes: { telepathy: 1 },
      unknownFields: { "assistant block text.glow": 2, "assistant.message.mood": 1, "assistant.zeal": 2 },
    },
    {
      version: "4.0.0",
      unknownTypes: { "assistant block hologram": 1 },
      unknownFields: { "user (message is not an object)": 1 },
    },
  ]);
});

test("nothing that was on disk is lost on the way in", async () => {
  for (const item of await recordedItems()) {
    if (item.kind === "unreadable") throw new Error("unreadable");
    const object = JSON.parse(Buffer.from(item.raw()).toString()) as Wire;
    const words = JSON.stringify(item);
    for (const leaf of leavesOf(object)) expect(words).toContain(leaf);
  }
});

/** Every text and number below an object, as JSON; the record's own type words repeat what `kind` says. */
function leavesOf(value: unknown, key = ""): string[] {
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, name));
  }
  if (key === "type" || key === "role" || value === null || typeof value === "boolean") return [];
  return [JSON.stringify(value)];
}
