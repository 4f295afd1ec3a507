import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultyFs } from "../../files/fixtures/faulty-fs.ts";
import { tempFolder } from "../../files/fixtures/temp-folder.ts";
import { validateSession } from "../check/validate-session.ts";
import { placesIn, recordedHome } from "../fixtures/recorded-home.ts";
import { entriesOf, said } from "../fixtures/store-entries.ts";
import { answer, prompt, write } from "../fixtures/transcript.ts";
import { sessionAt } from "../session.ts";
import { forkNotePath, forkSession } from "./fork-session.ts";
import { openStore } from "./session-store.ts";

const cwd = "/home/dev/project";
const id = "11111111-1111-4111-8111-111111111111";

test("an append is one write of the whole line, made durable only when asked, and acknowledged after that", async () => {
  const { fs, log } = faultyFs(Number.POSITIVE_INFINITY);
  const store = await openStore({ root: await tempFolder(), version: "0.0.0", fs });
  const session = await store.open({ id, cwd });
  await session.append(said("first"));
  log.length = 0;
  const acknowledged: string[] = [];
  await Promise.all(
    ["second", "third"].map((text) => session.append(said(text)).then(() => void acknowledged.push(text))),
  );
  const own = () => log.filter((step) => step.endsWith(session.file)).map((step) => step.split(" ")[0]);
  expect(own().filter((step) => step === "write")).toHaveLength(2);
  expect(own()).not.toContain("datasync");
  expect(acknowledged).toEqual(["second", "third"]);
  log.length = 0;
  await session.append(said("fourth"), { durable: true });
  expect(own().slice(own().indexOf("write"))).toEqual(expect.arrayContaining(["write", "datasync"]));
  await store.close();
  const lines = (await readFile(session.file, "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).message.content)).toEqual(["first", "second", "third", "fourth"]);
});

test("a torn end becomes a bad line of its own, which readers pass and the next record does not touch", async () => {
  const root = await tempFolder();
  const store = await openStore({ root, version: "0.0.0" });
  const session = await store.open({ id, cwd });
  await session.append(said("before"));
  await appendFile(session.file, '{"type":"user","mess');
  await session.append(said("after"));
  await store.close();
  const text = await readFile(session.file, "utf8");
  expect(text.split("\n")[1]).toBe('{"type":"user","mess');
  expect((await entriesOf(session.file)).map(({ kind }) => kind)).toEqual(["user", "user"]);
});

test("an entry over a minute older than its parent is a warning; calls differ by id, not by usage", async () => {
  const home = await tempFolder();
  const first = prompt(null, "go", { timestamp: "2026-01-01T00:00:10.000Z" });
  const one = answer(first, "one", { id: "msg_1" }, { timestamp: "2025-12-31T23:58:09.000Z" });
  const two = answer(one, "two", { id: "msg_2" }, { timestamp: "2026-01-01T00:00:11.000Z" });
  write(join(home, "projects", "-home-dev-project", "s1.jsonl"), [first, one, two]);
  const [place] = await placesIn(home);
  if (place === undefined) throw new Error("a session was written");
  const { findings, counts } = await validateSession(place);
  expect([counts.error, findings.map(({ code, severity }) => [code, severity])]).toEqual([
    0,
    [["time-before-parent", "warning"]],
  ]);
  expect((await sessionAt(place).load()).calls.map(({ call }) => call.key)).toEqual(["msg_1", "msg_2"]);
});

test("our fork of a compacted session keeps usage and leaves a note of where it came from", async () => {
  const { places } = await recordedHome("e2-autocompact-headless");
  const [source] = places;
  if (source === undefined) throw new Error("a session was recorded");
  const fork = await forkSession(source);
  expect(JSON.parse(await readFile(forkNotePath(fork), "utf8"))).toMatchObject({
    forkedFrom: { sessionId: source.id },
  });
  const usage = async (file: string) =>
    new Map(
      (await entriesOf(file)).flatMap((entry) =>
        entry.kind === "assistant" ? [[entry.uuid, entry.usage] as const] : [],
      ),
    );
  const before = await usage(source.file);
  for (const [uuid, counts] of await usage(fork.file)) expect(counts).toEqual(before.get(uuid));
});
