import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { findTranscriptsOf } from "../sessions/internal.ts";
import type { PastEvent } from "./past-event.ts";
import { pastEventsIn } from "./read-past-events.ts";

const fixtures = resolve(import.meta.dirname, "../../test/fixtures");

async function eventsOf(session: string): Promise<PastEvent[]> {
  const events: PastEvent[] = [];
  for (const file of findTranscriptsOf(resolve(fixtures, "transcripts", session))) {
    for await (const event of pastEventsIn(file, new AbortController().signal, () => undefined)) {
      if (event.name !== "unreadable" && event.name !== "refused-call") events.push(event);
    }
  }
  return events;
}

test("payloads are those a hook was sent then, but for what transcripts do not hold", async () => {
  const id = "85334377-a414-4ce3-b102-48ae155e745d";
  const events = await eventsOf(`n-headless-with-hooks/${id}.jsonl`);
  const lost = { effort: undefined, duration_ms: undefined, transcript_path: undefined };
  for (const name of ["PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit"]) {
    const sent = readFileSync(join(fixtures, `payloads/${name}.jsonl`), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ session_id }) => session_id === id);
    const read = events.filter((event) => event.name === name).map(({ payload }) => payload);
    expect(sent.length, name).toBeGreaterThan(0);
    for (const payload of sent) {
      expect(read.map((one) => ({ ...one, ...lost }))).toContainEqual({ ...payload, ...lost });
    }
  }
});

test("calls of subagents carry the subagent's id and type, and prompts to subagents are not prompts of the user", async () => {
  const events = await eventsOf("b-subagent/501a101c-7ecf-4bd9-a106-13be7d54c3a1.jsonl");
  const calls = events
    .filter(({ name }) => name === "PreToolUse")
    .map(({ payload, tool }) => [tool, payload["agent_id"], payload["agent_type"]]);
  expect(calls).toEqual([
    ["Agent", undefined, undefined],
    ["Agent", undefined, undefined],
    ["Agent", undefined, undefined],
    ["Bash", undefined, undefined],
    ["Bash", "a85f382c8760834ac", "Explore"],
    ["Bash", "ab4e09985f9941691", "general-purpose"],
  ]);
  expect(events.filter(({ name }) => name === "UserPromptSubmit").map(({ payload }) => payload["agent_id"])).toEqual(
    events.filter(({ name }) => name === "UserPromptSubmit").map(() => undefined),
  );
  for (const { payload } of events)
    expect(payload["transcript_path"]).toMatch(/501a101c-7ecf-4bd9-a106-13be7d54c3a1\.jsonl$/);
});

test("a denied call has no PostToolUse event", async () => {
  const events = await eventsOf("i-permission-hooks-interactive/c8564950-4e2e-476c-ac60-0c37d336827e.jsonl");
  const before = events.filter(({ name }) => name === "PreToolUse").length;
  const after = events.filter(({ name }) => name.startsWith("PostToolUse")).length;
  expect([before, after]).toEqual([9, 6]);
});

test("calls of subagents in an archive name the archived transcript of their session", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-past-"));
  const from = join(fixtures, "transcripts/b-subagent");
  for (const name of readdirSync(from, { recursive: true, encoding: "utf8" }).filter((one) => one.endsWith(".jsonl"))) {
    mkdirSync(dirname(join(folder, "projects/p", name)), { recursive: true });
    writeFileSync(join(folder, "projects/p", `${name}.gz`), gzipSync(readFileSync(join(from, name))));
  }
  const events = await eventsOf(join(folder, "projects/p/501a101c-7ecf-4bd9-a106-13be7d54c3a1.jsonl.gz"));
  const paths = new Set(events.map(({ payload }) => String(payload["transcript_path"])));
  expect([events.length > 6, [...paths].map((path) => existsSync(path))]).toEqual([true, [true]]);
  rmSync(folder, { recursive: true });
});

test("a last line that is half written, and a file without line feeds, count as unreadable lines", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hookline-past-"));
  const path = join(folder, "projects/p/501a101c-7ecf-4bd9-a106-13be7d54c3a1.jsonl");
  mkdirSync(dirname(path), { recursive: true });
  const text = readFileSync(
    join(fixtures, "transcripts/b-subagent/501a101c-7ecf-4bd9-a106-13be7d54c3a1.jsonl"),
    "utf8",
  );
  const unreadable = async (content: string) => {
    writeFileSync(path, content);
    const lines: number[] = [];
    for (const file of findTranscriptsOf(path))
      for await (const event of pastEventsIn(file, new AbortController().signal, () => undefined))
        if (event.name === "unreadable") lines.push(event.line);
    return lines;
  };
  const count = text.trimEnd().split("\n").length;
  expect(await unreadable(text)).toEqual([]);
  expect(await unreadable(text.trimEnd())).toEqual([]);
  expect(await unreadable(text.trimEnd().slice(0, -1))).toEqual([count]);
  expect(await unreadable(text.replaceAll("\n", "\r"))).toEqual([1]);
  rmSync(folder, { recursive: true });
});
