import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunnerResult } from "../runner-result.ts";
import { runHttp } from "./http-hook.ts";

let server: ChildProcess;
let origin = "";

beforeAll(async () => {
  const program = new URL("../fixtures/hostile-server.mjs", import.meta.url);
  server = spawn(process.execPath, [program.pathname], { stdio: ["pipe", "pipe", "inherit"] });
  if (server.stdout === null) throw new Error("no stdout");
  const [port] = await once(server.stdout, "data");
  origin = `http://127.0.0.1:${String(port).trim()}`;
});

afterAll(() => {
  server.kill();
});

const mib = 1024 * 1024;

async function post(path: string, timeoutMs = 60_000): Promise<{ ran: RunnerResult; grewBytes: number }> {
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  const ran = await runHttp(
    { type: "http", url: origin + path },
    {
      body: "{}",
      env: {},
      policy: { urlLists: [], variableLists: [], allowPrivate: true },
      timeoutMs,
      signal: new AbortController().signal,
    },
  );
  clearInterval(watch);
  return { ran, grewBytes: Math.max(most, process.memoryUsage.rss()) - before };
}

const cut = { kind: "body", ok: false, whole: false };
const nothing = { kind: "nothing" };
const over = "answered with more than 1 MiB";

test.each([
  ["/flood", { by: "http", status: 200 }, cut, over],
  ["/gzip-bomb", { by: "http", status: 200 }, cut, over],
  ["/brotli-bomb", { by: "http", status: 200 }, cut, over],
  ["/crumbs", { by: "http", status: 200 }, cut, over],
  ["/endless-headers", { by: "threw" }, nothing, "answered with more than 64 KiB of headers"],
])(
  "%s is ended in bounded memory",
  async (path, ended, output, words) => {
    const { ran, grewBytes } = await post(path);
    expect(ran).toMatchObject({ ended, output });
    expect(ran.failure).toContain(words);
    expect(grewBytes).toBeLessThan(64 * mib);
    expect(Buffer.byteLength(ran.stdout)).toBeLessThanOrEqual(mib);
  },
  70_000,
);

test.each(["/drip", "/slow-headers", "/silence", "/informational"])(
  "%s is ended at the deadline, in bounded memory",
  async (path) => {
    const { ran, grewBytes } = await post(path, 200);
    expect(ran).toMatchObject({ ended: { by: "timeout", afterMs: 200 }, output: nothing, stdout: "" });
    expect(grewBytes).toBeLessThan(64 * mib);
  },
);

test("trailers without end do not outlast the deadline", async () => {
  const { ran, grewBytes } = await post("/endless-trailers", 200);
  expect(ran.failure).toBeDefined();
  expect(grewBytes).toBeLessThan(64 * mib);
});

test("what came before the cap is kept, and what was seen beyond it is counted", async () => {
  const { ran } = await post("/flood");
  expect(ran.stdout).toBe("x".repeat(mib));
  expect(ran.droppedBytes?.stdout).toBeGreaterThan(0);
});

test("a body that broke off is a failure that keeps what came", async () => {
  const { ran } = await post("/half");
  expect(ran).toMatchObject({ ended: { by: "http", status: 200 }, output: cut });
  expect(ran.stdout).toBe('{"decision":"block","reason":"half"}');
  expect(ran.failure).toContain("broke off its answer");
});

test("a body whose coding is broken or unknown is a failure", async () => {
  const broken = await post("/cut-gzip");
  expect(broken.ran).toMatchObject({ ended: { by: "http", status: 200 }, output: cut });
  expect(broken.ran.failure).toContain("broke off its answer");
  const unknown = await post("/coding");
  expect(unknown.ran).toMatchObject({ ended: { by: "http", status: 200 }, output: cut, stdout: "" });
  expect(unknown.ran.failure).toContain('answered in the coding "gzip, gzip"');
});

test.each(["/hang-up", "/nonsense", "/upgrade"])("%s is a failure with a message", async (path) => {
  const { ran } = await post(path);
  expect(ran).toMatchObject({ ended: { by: "threw" }, output: nothing, stdout: "" });
  expect(ran.failure).toContain(`${origin}${path}: `);
});

test("no socket is left once a run has settled", async () => {
  for (const path of ["/drip", "/flood", "/upgrade", "/coding"]) await post(path, 200);
  await expect.poll(openSockets).toEqual([]);
});

/** Those of requests; the pipes to the server's own stdin and stdout are others. */
function openSockets(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap");
}
