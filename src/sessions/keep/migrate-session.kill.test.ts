import { join } from "node:path";
import { expect, test } from "vitest";
import { atEveryOperation, longStride, quickFs, shortStride } from "../../files/fixtures/faulty-fs.ts";
import { validateSession } from "../check/validate-session.ts";
import { bytesBelow, oldSession } from "../fixtures/old-session.ts";
import { sessionAt } from "../session.ts";
import { migrateSession } from "./migrate-session.ts";
import { callFingerprint } from "./replace-session-files.ts";
import { listBackups } from "./session-backup.ts";

test.each(["error", "kill"] as const)(
  "with a fault (%s) at every operation of a migration, old or new is read with the same tokens, and a rerun completes",
  async (fault) => {
    const count = await atEveryOperation(
      fault,
      async (strike, k) => {
        const { place, env } = await oldSession();
        const tokens = callFingerprint(await sessionAt(place).load());
        const faulty = strike();
        const done = await migrateSession(place, { env, fs: faulty.fs }).catch(() => undefined);
        expect([k, callFingerprint(await sessionAt(place).load())]).toEqual([k, tokens]);
        const backups = await listBackups(join(env.HOOKLINE_HOME, "backups"), "s1");
        if (done !== undefined) expect(backups.length).toBe(1);
        await migrateSession(place, { env, fs: quickFs });
        const now = await sessionAt(place).load();
        expect([callFingerprint(now), now.agents.length, now.agents.some(({ inline }) => inline)]).toEqual([
          tokens,
          2,
          false,
        ]);
        expect(now.files.agents.some(({ nextToMain }) => nextToMain)).toBe(false);
        expect((await validateSession(place)).counts.error).toBe(0);
      },
      longStride,
    );
    expect(count).toBeGreaterThan(80);
  },
  600_000,
);

test("a disk that fills up at any moment of a migration leaves the session byte for byte as it was, or migrated, and no copy of it", async () => {
  await atEveryOperation(
    "stuck",
    async (strike, k) => {
      const { place, env } = await oldSession();
      const before = await bytesBelow(place.root.path);
      const faulty = strike();
      const done = await migrateSession(place, { env, fs: faulty.fs }).catch((error: unknown) => error);
      // Only these need room on the disk.
      if (!(done instanceof Error) || !/^(?:write|open\+) /.test(faulty.log[k - 1] ?? "")) return;
      expect([k, done.message]).toEqual([k, expect.not.stringContaining("could not be put back")]);
      expect([k, await bytesBelow(place.root.path)]).toEqual([k, before]);
      expect([k, Object.keys(await bytesBelow(join(env.HOOKLINE_HOME, "migrating")).catch(() => ({})))]).toEqual([
        k,
        [],
      ]);
    },
    shortStride,
  );
}, 600_000);
