import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDaemonFolder } from "../record-file.ts";
import { serve } from "./serve-daemon.ts";

test("serve fails when its socket path is taken by a file", async () => {
  const home = mkdtempSync(join(tmpdir(), "s-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  // Short, or the path is too long for a socket.
  const env = { HOOKLINE_HOME: home };
  const hooksFile = join(home, "hooks.mjs");
  writeFileSync(hooksFile, "");
  const folder = await openDaemonFolder(hooksFile, env);
  writeFileSync(join(folder, "socket"), "in the way");
  const leave = new AbortController();
  const options = {
    ...{ hooksFile, env, version: "1", thread: new URL("../fixtures/odd-thread.mjs", import.meta.url) },
    ...{ complain: () => undefined, signal: leave.signal, ready: () => leave.abort() },
  };
  await expect(serve(options)).rejects.toMatchObject({ code: "loopback/not-a-socket" });
  // Neither its lock nor its thread is left.
  expect([readdirSync(folder).sort(), readFileSync(`${hooksFile}.runs`, "utf8")]).toEqual([
    ["endpoint.json", "socket"],
    "closed\n",
  ]);
  rmSync(join(folder, "socket"));
  expect(await serve(options)).toBe("left");
  expect(readdirSync(folder)).toEqual(["endpoint.json"]);
});
