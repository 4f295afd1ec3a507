import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { atEveryOperation } from "./fixtures/faulty-fs.ts";
import { endOf, firstLine, killNow, startProgram } from "./fixtures/programs.ts";
import { namesIn, tempFolder } from "./fixtures/temp-folder.ts";
import { type Fs, nodeFs, ownIdentity, type ProcessIdentity, takeLock, withLock } from "./internal.ts";

const nonce = "0123456789abcdef0123456789abcdef";

async function leaveLock(path: string, owner: Partial<ProcessIdentity>): Promise<void> {
  await writeFile(`${path}.lock`, JSON.stringify({ ...ownIdentity(), ...owner, nonce }));
}

/** Lets another process try for the lock at the very moment before ours does `operation` for the first time. */
function rivalBefore(path: string, isMoment: (operation: string) => boolean) {
  const rival: { said: string } = { said: "" };
  let started = false;
  const interfere = async (operation: string) => {
    if (started || !isMoment(operation)) return;
    started = true;
    const program = startProgram("lock-holder.mjs", "hold", path);
    program.stdout.setEncoding("utf8").on("data", (text: string) => {
      rival.said += text;
    });
    await Promise.race([once(program.stdout, "data"), sleep(1_000)]);
  };
  const fs: Fs = {
    ...nodeFs,
    link: (from, to) => interfere(`link ${to}`).then(() => nodeFs.link(from, to)),
    unlink: (at) => interfere(`unlink ${at}`).then(() => nodeFs.unlink(at)),
  };
  return { fs, rival };
}

test.each(["link", "unlink"])(
  "of two processes that clear a dead lock at once, the slower never removes the lock that the faster took (before %s)",
  async (name) => {
    const path = join(await tempFolder(), "f");
    await leaveLock(path, { start: "1" });
    const moment = name === "link" ? `link ${path}.lock.${nonce}.after` : `unlink ${path}.lock`;
    const { fs, rival } = rivalBefore(path, (operation) => operation === moment);
    const ours = await takeLock(path, { fs, waitMs: 300 });
    await sleep(200);
    // A rival that starts slowly is given its time.
    for (let tries = 0; tries < 100 && !ours.held && rival.said === ""; tries++) await sleep(50);
    expect([ours.held, rival.said === "held\n"].filter(Boolean)).toEqual([true]);
  },
);

test.each(["error", "kill"] as const)(
  "with a fault (%s) at every operation the next caller gets the lock",
  async (fault) => {
    const count = await atEveryOperation(fault, async (strike) => {
      const path = join(await tempFolder(), "f");
      await leaveLock(path, { start: "1" });
      await withLock(path, async () => undefined, { fs: strike().fs }).catch(() => undefined);
      expect(await withLock(path, async () => "in", { waitMs: 0 })).toBe("in");
    });
    expect(count).toBeGreaterThan(15);
  },
);

test("four processes that count under the lock lose nothing, while others are killed at it", async () => {
  const folder = await tempFolder();
  const path = join(folder, "count");
  await writeFile(path, "0");
  const counters = Array.from({ length: 4 }, () => startProgram("lock-holder.mjs", "count", path, "100"));
  const done = Promise.all(counters.map(endOf));
  for (let n = 0; n < 5; n += 1) {
    const victim = startProgram("lock-holder.mjs", "hold", path);
    await firstLine(victim);
    await killNow(victim);
  }
  await done;
  expect(await readFile(path, "utf8")).toBe("400");
  await withLock(path, async () => undefined);
  expect(await namesIn(folder)).toEqual(["count"]);
});
