import { spawn } from "node:child_process";
import {
  chmodSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { processStart } from "../files/internal.ts";
import { appKey } from "../sdk/internal.ts";
import { daemonStatus, dropEndpoint, endpointFor, stopDaemon } from "./internal.ts";
import { recordPath, writeDaemon } from "./record-file.ts";

let folder: string;
let env: Record<string, string>;
let file: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-endpoint-")));
  env = { HOOKLINE_HOME: join(folder, "state"), HOME: folder };
  file = join(folder, "hooks.mjs");
  writeFileSync(file, "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("port and token are chosen once and kept, in a file for this user alone; fresh ones differ", async () => {
  const all = await Promise.all(Array.from({ length: 5 }, () => endpointFor(file, { env })));
  const [first] = all;
  expect(new Set(all.map(({ url, token }) => `${url} ${token}`)).size).toBe(1);
  expect(first).toEqual({
    port: expect.any(Number),
    token: expect.stringMatching(/^[0-9a-f]{64}$/),
    url: `http://127.0.0.1:${first?.port}/v1/hook/${appKey(file)}`,
  });
  const kept = join(folder, "state/daemon", appKey(file));
  expect([statSync(kept).mode & 0o777, statSync(join(kept, "endpoint.json")).mode & 0o777]).toEqual([0o700, 0o600]);
  const link = join(folder, "link.mjs");
  symlinkSync(file, link);
  expect(await endpointFor(link, { env })).toEqual(first);
  const fresh = await endpointFor(file, { env, fresh: true });
  expect(fresh.token).not.toBe(first?.token);
  await dropEndpoint(file, { env });
  expect((await endpointFor(file, { env })).token).not.toBe(fresh.token);
});

test("a truncated endpoint file is replaced; one that others may write is refused", async () => {
  const { token } = await endpointFor(file, { env });
  const path = join(folder, "state/daemon", appKey(file), "endpoint.json");
  writeFileSync(path, readFileSync(path, "utf8").slice(0, 20));
  expect((await endpointFor(file, { env })).token).not.toBe(token);
  chmodSync(path, 0o666);
  await expect(endpointFor(file, { env })).rejects.toMatchObject({ code: "file/unsafe" });
});

test("a record of a dead process or of a reused process id does not count; a link is refused", async () => {
  await endpointFor(file, { env });
  const record = {
    pid: process.pid,
    start: (processStart(process.pid) ?? "").replace(/[^0-9a-zA-Z]/g, ""),
    port: 1,
    version: "1.2.3",
    token: "t",
    secret: "s",
    sourceHash: "abc",
    since: 5,
    node: process.execPath,
    socket: "",
    hooksFile: file,
  };
  await writeDaemon(record, env);
  const status = { pid: process.pid, since: 5, port: 1, version: "1.2.3", sourceHash: "abc" };
  expect(await daemonStatus(file, { env })).toEqual(status);
  expect(statSync(recordPath(file, env)).mode & 0o777).toBe(0o600);
  await writeDaemon({ ...record, start: "12" }, env);
  expect(await daemonStatus(file, { env })).toBeUndefined();
  const gone = spawn(process.execPath, ["-e", "0"]);
  await new Promise((done) => gone.on("close", done));
  await writeDaemon({ ...record, pid: gone.pid ?? 0 }, env);
  expect([await daemonStatus(file, { env }), await stopDaemon(file, { env })]).toEqual([undefined, false]);
  rmSync(recordPath(file, env));
  symlinkSync(file, recordPath(file, env));
  await expect(daemonStatus(file, { env })).rejects.toMatchObject({ code: "file/unsafe" });
});
