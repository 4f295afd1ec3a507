import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { atEveryOperation, shortStride } from "../../files/fixtures/faulty-fs.ts";
import { placesIn, recordedHome } from "../fixtures/recorded-home.ts";
import { forkSession } from "./fork-session.ts";

async function linesOf(file: string): Promise<Record<string, unknown>[]> {
  return (await readFile(file, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test("with a fault at every operation the fork is whole or not there, and the original is untouched", async () => {
  for (const fault of ["error", "kill"] as const) {
    const count = await atEveryOperation(
      fault,
      async (strike) => {
        const { home, places } = await recordedHome("a-plain");
        const [place] = places;
        if (place === undefined) throw new Error("one session was recorded");
        const before = await readFile(place.file);
        const fork = await forkSession(place, { fs: strike().fs, id: "f" }).catch(() => undefined);
        expect(await readFile(place.file)).toEqual(before);
        const there = (await placesIn(home)).find(({ id }) => id === "f");
        if (fork !== undefined) expect(there).toBeDefined();
        if (there !== undefined) expect((await linesOf(there.file)).length).toBe(20);
      },
      shortStride,
    );
    expect(count).toBeGreaterThan(15);
  }
});
