import { appendFile, cp } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atEveryOperation, longStride, quickFs } from "../../files/fixtures/faulty-fs.ts";
import { archivedPlace, plainFiles, sourceFiles } from "../fixtures/archived.ts";
import { recordedHome } from "../fixtures/recorded-home.ts";
import { prompt } from "../fixtures/transcript.ts";
import { sessionAt } from "../session.ts";
import { archiveSession } from "./archive-session.ts";

test.each(["error", "kill"] as const)(
  "with a fault (%s) at every operation of archiving, what was archived stays, and the next run completes",
  async (fault) => {
    const recorded = await recordedHome("b-subagent");
    const count = await atEveryOperation(
      fault,
      async (strike, k) => {
        const { home, places } = await recordedHome("a-plain");
        const [place] = places;
        if (place === undefined) throw new Error("one session was recorded");
        const root = join(home, "archive");
        await archiveSession(place, { root, fs: quickFs });
        const before = await plainFiles(root, place);
        await appendFile(place.file, `${JSON.stringify(prompt(null, "more"))}\n`);
        await cp(join(recorded.places[0]?.folder ?? "", recorded.places[0]?.id ?? ""), join(place.folder, place.id), {
          recursive: true,
        });
        await archiveSession(place, { root, fs: strike().fs }).catch(() => undefined);
        const held = await plainFiles(root, place);
        for (const [path, text] of Object.entries(before)) expect([k, held[path]?.startsWith(text)]).toEqual([k, true]);
        await archiveSession(place, { root, fs: quickFs });
        expect(await plainFiles(root, place)).toEqual(await sourceFiles(place));
        expect((await sessionAt(await archivedPlace(root, place.id)).load()).unreadable).toEqual([]);
      },
      longStride,
    );
    expect(count).toBeGreaterThan(40);
  },
  600_000,
);
