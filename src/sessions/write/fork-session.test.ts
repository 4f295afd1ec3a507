import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { namesIn, tempFolder } from "../../files/fixtures/temp-folder.ts";
import { placesIn, recordedHome, recordedNames } from "../fixtures/recorded-home.ts";
import { answer, prompt, result, system, toolUse, type Wire, write } from "../fixtures/transcript.ts";
import { forkNotePath, forkSession } from "./fork-session.ts";
import { readTranscriptConversation } from "./resume-state.ts";
import { openStore } from "./session-store.ts";

const cwd = "/home/dev/project";

async function linesOf(file: string): Promise<Record<string, unknown>[]> {
  return (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("a fork holds what Claude Code's own fork held of the original", async () => {
  const { places } = await recordedHome("d-forked");
  const [original, theirs] = places;
  if (original === undefined || theirs === undefined) throw new Error("two sessions were recorded");
  const ours = await forkSession(original);
  const copied = (await linesOf(theirs.file)).filter(({ uuid }) => uuid).slice(0, -2);
  expect(await linesOf(ours.file)).toEqual(copied.map((line) => ({ ...line, sessionId: ours.id })));
});

test.each(recordedNames)(
  "forking %s keeps uuids, times, usage and results, and not a byte of the original changes",
  async (name) => {
    const { home, places } = await recordedHome(name);
    for (const place of places) {
      const before = await readFile(place.file);
      const fork = await forkSession(place);
      expect(await readFile(place.file)).toEqual(before);
      const [old, forked] = [await readTranscriptConversation(place.file), await readTranscriptConversation(fork.file)];
      const brief = (thread: typeof old) =>
        thread.context().filter(({ kind }) => kind === "user" || kind === "assistant");
      expect(brief(forked).map(({ uuid, timestamp }) => [uuid, timestamp])).toEqual(
        brief(old).map(({ uuid, timestamp }) => [uuid, timestamp]),
      );
      expect(forked.graph.findings.filter(({ what }) => what !== "logical-parent-missing")).toEqual([]);
      expect(forked.branches.points).toEqual([]);
      const tokens = new Map(old.calls.map((call) => [call.key, call.usage().tokens]));
      for (const call of forked.calls) expect(call.usage().tokens).toEqual(tokens.get(call.key));
      expect(forked.entries.every(({ sessionId }) => sessionId === undefined || sessionId === fork.id)).toBe(true);
      expect(JSON.parse(await readFile(forkNotePath(fork), "utf8"))).toMatchObject({
        forkedFrom: { sessionId: place.id },
      });
    }
    expect((await placesIn(home)).length).toBe(places.length * 2);
  },
);

test("a fork of a compacted session begins at the last boundary, and one way up passes all of it", async () => {
  const { places } = await recordedHome("e2-autocompact-headless");
  const fork = await forkSession(places[0] as never);
  const lines = (await linesOf(fork.file)).map(({ uuid, parentUuid }) => [
    String(uuid).slice(0, 4),
    String(parentUuid).slice(0, 4),
  ]);
  expect(lines).toEqual([
    ["53fa", "null"],
    ["5079", "53fa"],
    ["ada0", "5079"],
    ["9860", "ada0"],
    ["051d", "9860"],
    ["eb35", "051d"],
    ["f790", "eb35"],
    ["516c", "f790"],
  ]);
});

test("a fork of a session whose last compaction was cut off before its summary holds the conversation without it, and parents lead through all of it", async () => {
  const { places } = await recordedHome("a-plain");
  const [place] = places;
  if (place === undefined) throw new Error("one session was recorded");
  const boundary = (after: Wire) =>
    system(null, "compact_boundary", {
      logicalParentUuid: after["uuid"],
      compactMetadata: { trigger: "auto", preservedMessages: { uuids: [after["uuid"]] } },
    });
  const asked = prompt(null, "long ago");
  const answered = answer(asked, [{ type: "text", text: "done" }]);
  const cut = boundary(answered);
  const again = boundary(cut);
  const whole = boundary(answered);
  const summary = prompt(whole, "in short", { isCompactSummary: true });
  const cutLater = boundary(summary);
  const now = (after: Wire) => prompt(after, "and now");
  for (const lines of [
    [asked, answered, cut],
    [asked, answered, cut, now(cut)],
    [asked, answered, cut, again, now(again)],
    [asked, answered, whole, summary, cutLater],
    [asked, answered, whole, summary, cutLater, now(cutLater)],
  ]) {
    write(place.file, lines);
    const fork = await forkSession(place);
    const [old, forked] = [await readTranscriptConversation(place.file), await readTranscriptConversation(fork.file)];
    const known = old.context().filter(({ kind }) => kind !== "system");
    expect(forked.context().map(({ uuid }) => uuid)).toEqual(known.map(({ uuid }) => uuid));
    expect(forked.graph.findings.filter(({ what }) => what !== "logical-parent-missing")).toEqual([]);
    const parents = (await linesOf(fork.file)).map(({ parentUuid }) => parentUuid);
    expect(parents).toEqual([null, ...forked.entries.slice(0, -1).map(({ uuid }) => uuid)]);
  }
});

test("a spilled result goes along, and its path leads to the copy", async () => {
  const { places } = await recordedHome("g-large-and-image");
  const [place] = places;
  if (place === undefined) throw new Error("one session was recorded");
  // The recording names a path of another machine: lead it to where the file lies here.
  const spilled = join(place.folder, place.id, "tool-results", "bjmhxbsnm.txt");
  const lines = await linesOf(place.file);
  const moved = lines.map((line) => {
    const old = line["toolUseResult"];
    const isSpilled = typeof old === "object" && old !== null && "persistedOutputPath" in old;
    return isSpilled ? { ...line, toolUseResult: { ...old, persistedOutputPath: spilled } } : line;
  });
  write(place.file, moved);
  const fork = await forkSession(place);
  const copy = join(fork.folder, fork.id, "tool-results", "bjmhxbsnm.txt");
  expect(await readFile(copy)).toEqual(await readFile(spilled));
  expect(await readFile(fork.file, "utf8")).toContain(JSON.stringify(copy));
  expect(await readFile(fork.file, "utf8")).not.toContain(`"persistedOutputPath":${JSON.stringify(spilled)}`);
});

test("--at ends the fork there; an entry that is not in the conversation is a problem", async () => {
  const { places } = await recordedHome("c-resumed");
  const [place] = places;
  if (place === undefined) throw new Error("one session was recorded");
  const at = (await linesOf(place.file)).find(({ uuid }) => String(uuid).startsWith("9472"))?.["uuid"];
  const fork = await forkSession(place, { at: String(at) });
  expect((await linesOf(fork.file)).at(-1)?.["uuid"]).toBe(at);
  await expect(forkSession(place, { at: "nowhere" })).rejects.toMatchObject({ code: "sessions/not-found" });
  await expect(forkSession(place, { id: place.id })).rejects.toMatchObject({ code: "sessions/exists" });
});

test("resuming continues in the same file after the newest entry, with the context a model is given", async () => {
  const store = await openStore({ root: await tempFolder(), version: "1" });
  const { places } = await recordedHome("e2-autocompact-headless");
  const fork = await store.fork(places[0] as never, { cwd });
  expect(fork.context.map(({ kind }) => kind)).toEqual([
    "user",
    "assistant",
    "user",
    "attachment",
    "assistant",
    "user",
    "assistant",
  ]);
  await fork.append({ type: "user", message: { role: "user", content: "go on" } });
  const lines = await linesOf(fork.file);
  expect(lines.at(-1)).toMatchObject({
    parentUuid: lines.at(-2)?.["uuid"],
    sessionId: fork.id,
    entrypoint: "hookline",
  });
  expect(lines.length).toBe(9);
  await expect(store.resume("nobody", { cwd })).rejects.toMatchObject({ code: "sessions/not-found" });
});

test("an unanswered end gets a note and a filler answer before the new prompt, an answered or deferred one does not", async () => {
  const root = await tempFolder();
  const store = await openStore({ root, version: "1" });
  const file = (id: string) => join(root, "projects", "-p", `${id}.jsonl`);
  const asked = prompt(null, "do it");
  const called = answer(asked, [toolUse("t1")], { stop: "tool_use" });
  write(file("open"), [asked, called, result(called, "t1")]);
  write(file("done"), [asked, answer(asked, "done")]);
  const deferred = {
    ...prompt(called, ""),
    type: "attachment",
    attachment: { type: "hook_deferred_tool", toolUseID: "t1" },
  };
  write(file("deferred"), [asked, called, deferred]);
  const added = async (id: string) => {
    const session = await store.resume(id, { cwd });
    const before = await linesOf(session.file);
    await Promise.all([
      session.append({ type: "mode", mode: "normal" }),
      session.append({ type: "user", message: { role: "user", content: "more" } }),
    ]);
    await session.append({ type: "user", message: { role: "user", content: "and more" } });
    const after = (await linesOf(session.file)).slice(before.length);
    return after.map((line) => (line["message"] as { content: unknown } | undefined)?.content ?? line["type"]);
  };
  const text = (said: string) => [{ type: "text", text: said }];
  expect(await added("open")).toEqual([
    "mode",
    text("Continue from where you left off."),
    text("No response requested."),
    "more",
    "and more",
  ]);
  expect(await added("done")).toEqual(["mode", "more", "and more"]);
  expect(await added("deferred")).toEqual(["mode", "more", "and more"]);
  const thread = await readTranscriptConversation(file("open"));
  expect([thread.fillers.length, thread.branches.points, thread.turns().turns.length]).toEqual([1, [], 3]);
  expect(await namesIn(join(root, "projects", "-p"))).toEqual(["deferred.jsonl", "done.jsonl", "open.jsonl"]);
});
