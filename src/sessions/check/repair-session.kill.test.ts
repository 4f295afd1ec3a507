import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atEveryOperation, longStride, quickFs } from "../../files/fixtures/faulty-fs.ts";
import { answered, asked, called, world } from "../fixtures/damaged-session.ts";
import { prompt, sidechain, write } from "../fixtures/transcript.ts";
import { repairSession } from "./repair-session.ts";
import { validateSession } from "./validate-session.ts";

test.each(["error", "kill"] as const)(
  "with a fault (%s) at every operation of a repair in place, the session is the old or the new one, and a rerun completes",
  async (fault) => {
    const count = await atEveryOperation(
      fault,
      async (strike, k) => {
        const { place, env } = await world([asked, "{oops", called, answered]);
        const agent = write(join(place.folder, "s1", "subagents", "agent-a1.jsonl"), [
          sidechain("a1", prompt(null, "go")),
          "oops",
        ]);
        const texts = async () => [await readFile(place.file, "utf8"), await readFile(agent, "utf8")];
        const before = await texts();
        const done = await repairSession(place, { env, inPlace: true, fs: strike().fs }).catch(() => undefined);
        const now = await texts();
        const isOld = now.map((text, n) => text === before[n]);
        const isNew = now.map((text) => !text.includes("oops"));
        expect([k, isOld.map((old, n) => old || isNew[n])]).toEqual([k, [true, true]]);
        // An error is undone; only a process that is killed can stop between two files.
        if (fault === "error") expect([k, isOld[0]]).toEqual([k, isOld[1]]);
        if (done !== undefined) expect(isNew).toEqual([true, true]);
        await repairSession(place, { env, inPlace: true, fs: quickFs });
        expect((await validateSession(place)).counts.error).toBe(0);
        expect(await readFile(join(place.folder, "s1", "hookline-set-aside.jsonl"), "utf8")).toContain("oops");
      },
      longStride,
    );
    expect(count).toBeGreaterThan(60);
  },
  3_600_000,
);
