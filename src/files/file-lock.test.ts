import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../../test/until.ts";
import { faultyFs } from "./fixtures/faulty-fs.ts";
import { compiled, firstLine, killNow, startProgram } from "./fixtures/programs.ts";
import { namesIn, tempFolder } from "./fixtures/temp-folder.ts";
import { type Fs, nodeFs, ownIdentity, type ProcessIdentity, processStart, takeLock, withLock } from "./internal.ts";

const nonce = "0123456789abcdef0123456789abcdef";

async function leaveLock(path: string, owner: Partial<ProcessIdentity>): Promise<void> {
  await writeFile(`${path}.lock`, JSON.stringify({ ...ownIdentity(), ...owner, nonce }));
}

test("callers of one process get the lock one at a time, in the order of asking", async () => {
  const folder = await tempFolder();
  const seen: string[] = [];
  const one = (n: number) =>
    withLock(join(folder, "f"), async () => {
      seen.push(`in ${n}`);
      await new Promise((go) => setImmediate(go));
      seen.push(`out ${n}`);
    });
  await Promise.all(Array.from({ length: 20 }, (_, n) => one(n)));
  expect(seen).toEqual(Array.from({ length: 20 }, (_, n) => [`in ${n}`, `out ${n}`]).flat());
  expect(await namesIn(folder)).toEqual([]);
});

test("the lock names its owner: process, start, host, and a number of its own", async () => {
  const path = join(await tempFolder(), "f");
  const lock = await takeLock(path);
  const written: unknown = JSON.parse(await readFile(`${path}.lock`, "utf8"));
  expect(written).toEqual({ ...ownIdentity(), nonce: expect.stringMatching(/^[0-9a-f]{32}$/) });
  expect(ownIdentity()).toMatchObject({ pid: process.pid, host: hostname() });
  if (lock.held) await lock.release();
});

test("a live process's lock is never taken, however old the file looks", async () => {
  const path = join(await tempFolder(), "f");
  const holder = startProgram("lock-holder.mjs", "hold", path);
  expect(await firstLine(holder)).toBe("held");
  await utimes(`${path}.lock`, 0, 0);
  const before = await readFile(`${path}.lock`, "utf8");
  expect(await takeLock(path, { waitMs: 0 })).toMatchObject({ held: false, owner: { pid: holder.pid } });
  const refusal = withLock(path, async () => "in", { waitMs: 0 });
  await expect(refusal).rejects.toMatchObject({
    code: "file/locked",
    message: expect.stringContaining(`process ${holder.pid}`),
  });
  holder.kill("SIGSTOP");
  expect(await takeLock(path, { waitMs: 0 })).toMatchObject({ held: false });
  holder.kill("SIGCONT");
  expect(await readFile(`${path}.lock`, "utf8")).toBe(before);
});

test("a lock of a dead process delays no other process", async () => {
  const folder = await tempFolder();
  const path = join(folder, "f");
  const holder = startProgram("lock-holder.mjs", "hold", path);
  expect(await firstLine(holder)).toBe("held");
  const waiting = withLock(path, async () => "in", { waitMs: 60_000 });
  await killNow(holder);
  expect(await waiting).toBe("in");
  expect(await namesIn(folder)).toEqual([]);
});

test.skipIf(process.platform !== "linux")(
  "a killed process that its parent has not collected yet counts as dead",
  async () => {
    const path = join(await tempFolder(), "f");
    const script = join(import.meta.dirname, "fixtures", "lock-holder.mjs");
    // The shell becomes `sleep`, which never asks how its children ended.
    const command = `"${process.execPath}" "${script}" "${compiled}" hold "${path}" & exec sleep 60`;
    const shell = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void shell.kill("SIGKILL"));
    await once(shell.stdout, "data");
    const { pid } = JSON.parse(await readFile(`${path}.lock`, "utf8")) as { pid: number };
    process.kill(pid, "SIGKILL");
    expect(await withLock(path, async () => "in", { waitMs: 60_000 })).toBe("in");
    expect(await readFile(`/proc/${pid}/stat`, "utf8")).toMatch(/\) Z /);
  },
);

/** Its first thread ends at once, the second one lives on. */
const halfEnded = `#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
static void *rest(void *nothing) { sleep(60); return nothing; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, rest, NULL);
  puts("ready");
  fflush(stdout);
  syscall(SYS_exit, 0);
}`;
const hasCompiler = process.platform === "linux" && spawnSync("cc", ["--version"]).status === 0;

test.runIf(hasCompiler)(
  "a process that was ended but for one thread keeps its lock until that thread has ended",
  async () => {
    const folder = await tempFolder();
    const [path, program] = [join(folder, "f"), join(folder, "half-ended")];
    const compiled = spawnSync("cc", ["-pthread", "-x", "c", "-o", program, "-"], {
      input: halfEnded,
      encoding: "utf8",
    });
    expect([compiled.stderr, compiled.status]).toEqual(["", 0]);
    const child = spawn(program, { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    const pid = child.pid ?? 0;
    const statOf = () => readFile(`/proc/${pid}/stat`, "utf8");
    await until("its first thread has ended", async () => /\) Z /.test(await statOf()));
    await leaveLock(path, { pid, start: processStart(pid) ?? "" });
    expect(await takeLock(path, { waitMs: 0 })).toMatchObject({ held: false, owner: { pid } });
    child.kill("SIGKILL");
    expect(await withLock(path, async () => "in", { waitMs: 60_000 })).toBe("in");
  },
);

test("a process with a reused process id is not the owner", async () => {
  const path = join(await tempFolder(), "f");
  await leaveLock(path, { start: "1" });
  expect(await withLock(path, async () => "in", { waitMs: 0 })).toBe("in");
  await leaveLock(path, { boot: "an earlier one", host: "what this machine was called then" });
  expect(await withLock(path, async () => "in", { waitMs: 0 })).toBe("in");
});

test("an owner on another host, or in a process namespace we cannot see into, is taken for alive", async () => {
  const path = join(await tempFolder(), "f");
  for (const owner of [
    { host: "elsewhere", machine: "another", boot: "its own", pid: 1 },
    { machine: "", host: "elsewhere", boot: "its own" },
    { space: "pid:[1]", start: "1" },
  ]) {
    await leaveLock(path, owner);
    expect(await takeLock(path, { waitMs: 20 })).toEqual({ held: false, owner: { ...ownIdentity(), ...owner } });
  }
});

test("only the owner unlocks: a lock that was replaced by hand stays", async () => {
  const path = join(await tempFolder(), "f");
  const lock = await takeLock(path);
  await leaveLock(path, {});
  if (lock.held) await lock.release();
  expect(JSON.parse(await readFile(`${path}.lock`, "utf8"))).toMatchObject({ nonce });
});

test("a lock that a power cut left without its content has no owner", async () => {
  const folder = await tempFolder();
  const texts = ["", "{}", "\0\0\0\0", '{"pid":1}', '{"pid":-1,"nonce":"../../x"}'];
  const paths = texts.map((_, n) => join(folder, `f${n}`));
  for (const [n, text] of texts.entries()) await writeFile(`${paths[n]}.lock`, text);
  const first = await Promise.all(paths.map((path) => takeLock(path, { waitMs: 0 })));
  expect(first).toEqual(texts.map(() => ({ held: false, owner: undefined })));
  await Promise.all(paths.map((path) => withLock(path, async () => "in")));
  expect(await namesIn(folder)).toEqual([]);
});

test("a lock claim truncated by a full disk is removed", async () => {
  const folder = await tempFolder();
  const full: Fs = {
    ...nodeFs,
    open: async (...args) =>
      Object.assign(await nodeFs.open(...args), {
        write: () => Promise.reject(Object.assign(new Error("no room"), { code: "ENOSPC" })),
      }),
  };
  await expect(withLock(join(folder, "f"), async () => undefined, { fs: full })).rejects.toThrow("no room");
  expect(await namesIn(folder)).toEqual([]);
});

test("a link or folder at the lock's path is refused, and nothing is left behind", async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, "victim"), "mine");
  await symlink("victim", join(folder, "a.lock"));
  await symlink("nowhere", join(folder, "b.lock"));
  await mkdir(join(folder, "c.lock"));
  for (const name of ["a", "b", "c"]) {
    await expect(takeLock(join(folder, name))).rejects.toMatchObject({ code: "file/not-ours" });
  }
  expect(await readFile(join(folder, "victim"), "utf8")).toBe("mine");
  expect(await namesIn(folder)).toEqual(["a.lock", "b.lock", "c.lock", "victim"]);
});

test("a process killed while it cleared a dead lock delays no other process either", async () => {
  const folder = await tempFolder();
  const path = join(folder, "f");
  const other = nonce.replace("0", "f");
  await leaveLock(path, { start: "1" });
  const breaker = JSON.stringify({ ...ownIdentity(), start: "2", nonce: other });
  await writeFile(`${path}.lock.${nonce}.after`, breaker);
  await writeFile(`${path}.lock.${other}.after`, breaker.replace(other, nonce.replace("0", "e")));
  expect(await withLock(path, async () => "in", { waitMs: 0 })).toBe("in");
  expect(await namesIn(folder)).toEqual([]);
});

test("waiting for the lock ends with the signal, and callers behind it still get the lock", async () => {
  const path = join(await tempFolder(), "f");
  const abort = new AbortController();
  const first = await takeLock(path);
  const second = takeLock(path, { signal: abort.signal });
  const third = takeLock(path);
  abort.abort(new Error("enough"));
  await expect(second).rejects.toThrow("enough");
  expect(await takeLock(path, { waitMs: 10 })).toEqual({ held: false, owner: ownIdentity() });
  if (first.held) await first.release();
  expect(await third).toMatchObject({ held: true });
});

test("where there are no hard links, the lock still excludes", async () => {
  const folder = await tempFolder();
  const path = join(folder, "f");
  const { fs } = faultyFs(Number.POSITIVE_INFINITY);
  const plain = { ...fs, link: () => Promise.reject(Object.assign(new Error("no links"), { code: "ENOTSUP" })) };
  await leaveLock(path, { start: "1" });
  const lock = await takeLock(path, { fs: plain });
  expect(lock.held).toBe(true);
  expect(await takeLock(path, { waitMs: 20 })).toMatchObject({ held: false });
  if (lock.held) await lock.release();
  expect(await namesIn(folder)).toEqual([]);
});
