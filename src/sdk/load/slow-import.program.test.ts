import { mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openState, takeLock } from "../../files/internal.ts";
import { buildAhead, endBuilds } from "./build-app.ts";
import { cachedBuild, recordName } from "./build-cache.ts";
import { loadApp } from "./load-app.ts";

test("waiting for another process's build does not count as load time", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-slow-build-")));
  onTestFinished(async () => {
    await endBuilds();
    rmSync(folder, { recursive: true, force: true });
  });
  const file = join(folder, "hooks.ts");
  writeFileSync(file, `export default { [Symbol.for("hookline.app")]: { level: 7 as number } };`);
  const env = { HOOKLINE_HOME: join(folder, "state") };
  const lock = await takeLock(join(await openState(["builds"], { env }), recordName(file)));
  if (!lock.held) throw new Error("no other process holds the lock");
  const loading = loadApp(file, { env, cwd: folder, timeoutMs: 1_000 });
  await sleep(1_100);
  await buildAhead(file, env);
  const made = () => statSync(cachedBuild(file, env)?.module ?? "").ino;
  const before = made();
  await lock.release();
  expect([await loading, made()]).toEqual([{ level: 7 }, before]);
});
