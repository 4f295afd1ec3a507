import { execFileSync } from "node:child_process";
import { request } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RouteOptions, routes } from "../../src/daemon/server/routes.ts";
import { startWorkerThread } from "../../src/daemon/worker/worker-thread.ts";
import { openLoopback } from "../../src/loopback/internal.ts";
import { app, type DaemonWorld, denial, event, openDaemonWorld } from "./world.ts";

let world: DaemonWorld;
beforeAll(async () => {
  world = await openDaemonWorld();
});
afterAll(() => world.remove());

const holds = app(
  `app.preTool("Bash", ({ input }) => {
    const until = Date.now() + Number(input.command);
    while (Date.now() < until);
    return sdk.deny("no");
  });`,
);

test("a worker that was blocked accepts calls again", async () => {
  const file = world.file("holds.mjs", holds);
  const module = pathToFileURL(join(world.folder, "package/dist/cli/run/worker-thread.cjs"));
  const thread = await startWorkerThread({ file, cwd: world.project, sourceHash: "", module });
  if (typeof thread === "string") throw new Error(thread);
  const call = (ms: number) => {
    const text = event({ tool_input: { command: String(ms) } });
    const asked = {
      text,
      transport: "http",
      ...{ onFailure: undefined, env: undefined, envOf: 0, cwd: undefined },
    } as const;
    return thread.call(asked, { again: false, deadlineMs: () => 30_000 }, new AbortController().signal);
  };
  const kinds = new Map<string, number>();
  for (let round = 0; round < 3; round++) {
    const ends = await Promise.all([call(900), ...Array.from({ length: 500 }, () => call(0))]);
    for (const { kind } of ends) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    await expect.poll(() => thread.isStuck, { timeout: 5_000 }).toBe(false);
  }
  // More calls were withdrawn than there is room for at one time.
  expect(kinds.get("untouched")).toBeGreaterThan(1_024);
  expect((await call(0)).kind).toBe("answer");
  thread.end();
});

test("an http entry with on-failure=block is denied when the payload is too large or all workers are blocked", async () => {
  const nothing = () => undefined;
  const options: RouteOptions = {
    ...{ key: "k", file: "", version: "0", secret: "" },
    ...{ health: () => ({}), leave: nothing, noteAgent: nothing, canReadEnvironment: () => true },
    ending: new AbortController().signal,
    complain: nothing,
    app: {
      sourceHash: "",
      open: 0,
      call: async ({ onFailure = "continue" }) => ({ busy: "held", mode: onFailure }),
      end: async () => undefined,
    },
  };
  const server = await openLoopback({ port: 0, token: "t", handle: routes(options) });
  const post = (query: string, headers: Record<string, string> = {}) =>
    new Promise<{ status: number | undefined; body: Record<string, unknown> }>((done, fail) => {
      const all = { Authorization: "Bearer t", "Content-Type": "application/json", ...headers };
      const call = request({ port: server.port, method: "POST", path: `/v1/hook/k${query}`, headers: all }, (reply) => {
        let text = "";
        reply.on("data", (chunk) => {
          text += String(chunk);
        });
        reply.on("end", () => done({ status: reply.statusCode, body: JSON.parse(text) as Record<string, unknown> }));
      });
      call.on("error", fail);
      if (headers["Content-Length"] === undefined) call.end(event());
      else call.write(event());
    });
  const large = { "Content-Length": String(26 * 2 ** 20) };
  expect(await post("")).toMatchObject({ status: 503 });
  expect(await post("", large)).toMatchObject({ status: 413 });
  expect(await post("?on-failure=block")).toMatchObject({
    status: 200,
    body: { hookSpecificOutput: { permissionDecision: "deny" } },
  });
  expect(await post("?on-failure=block", large)).toMatchObject({
    status: 200,
    body: { decision: "block", continue: false },
  });
  server.stop();
  server.end();
});

test.skipIf(process.platform !== "linux")(
  "handlers that wait for the writers of named pipes do not stop other handlers from reading files",
  async () => {
    const pipe = join(world.folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const reads = `import fs from "node:fs";
app.preTool("Bash", async ({ input }) => {
  const paths = input.command === "pipes" ? Array(9).fill(${JSON.stringify(pipe)}) : [import.meta.filename];
  await Promise.all(paths.map((path) => fs.promises.readFile(path)));
  return sdk.deny(input.command);
});`;
    const file = world.file("pool.mjs", app(reads, '{ onFailure: "block", timeoutMs: 10_000 }'));
    await world.serve(file);
    const call = async (command: string) => (await world.client([file], event({ tool_input: { command } }))).stdout;
    const answers = await Promise.all(["pipes", "file", "pipes", "file"].map(call));
    expect(answers).toEqual(["pipes", "file", "pipes", "file"].map(denial));
  },
);
