import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { deferred } from "../../../test/deferred.ts";
import { createApp, deny, type ServeAppOptions, type ServedApp, serveApp } from "../index.ts";
import { fixtures, testClient } from "../testing/index.ts";

async function served(app: unknown, options: ServeAppOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "hookline-serve-app-"));
  const complaints: string[] = [];
  const complain = (line: string) => void complaints.push(line);
  const server = await serveApp(app, { env: { HOOKLINE_HOME: folder }, complain, ...options });
  onTestFinished(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const log = () =>
    readFileSync(join(folder, "log", "hooks.jsonl"), "utf8")
      .trimEnd()
      .split("\n");
  return { server, complaints, log };
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly url?: string;
}

function send({ url, token }: ServedApp, body: string, sent: Sent = {}): Promise<{ status: number; text: string }> {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}`, ...sent.headers };
  return new Promise((done, fail) => {
    const call = request(
      sent.url ?? url,
      { method: sent.method ?? "POST", headers, agent: false },
      (reply: IncomingMessage) => {
        let text = "";
        reply.on("data", (part: Buffer) => {
          text += part.toString();
        });
        reply.on("end", () => done({ status: reply.statusCode ?? 0, text }));
      },
    );
    call.on("error", fail);
    call.end(body);
  });
}

const guard = createApp().preTool("Bash", { name: "guard" }, ({ input }) => deny(`no ${input.command}`));
const event = JSON.stringify(fixtures.PreToolUse());

test("an app in code is answered over http as the daemon answers, and logged", async () => {
  const { server, log, complaints } = await served(guard);
  const { status, text } = await send(server, event);
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: "no echo hi",
      },
    },
  ]);
  expect(await send(server, JSON.stringify(fixtures.Stop()))).toEqual({ status: 200, text: "{}" });
  await server.close();
  expect(log().map((line) => JSON.parse(line))).toMatchObject([
    { event: "PreToolUse", transport: "http", answer: "refused" },
    { event: "Stop", transport: "http", answer: "none" },
  ]);
  expect(complaints).toEqual([]);
  await expect(send(server, event)).rejects.toMatchObject({ code: "ECONNREFUSED" });
});

test("serveApp checks token, name, origin, method, type and key as the daemon does, and refuses what cannot be read", async () => {
  const { server } = await served(guard);
  const answers = await Promise.all(
    [
      { headers: { Authorization: "Bearer wrong" } },
      { headers: { Authorization: "" } },
      { headers: { Host: "example.com" } },
      { headers: { Origin: server.url } },
      { method: "PUT" },
      { headers: { "Content-Type": "text/plain" } },
      { url: `${server.url}0` },
      { headers: { "Hookline-Client": "1 source 1 1 0 block", "Hookline-File": "/x" } },
    ].map((sent: Sent) => send(server, event, sent)),
  );
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 403, 405, 415, 404, expect.any(Number)]);
  expect(answers.at(-1)?.status).toBeGreaterThanOrEqual(400);
  expect((await send(server, "{")).status).toBe(400);
  expect(JSON.parse((await send(server, "{", { url: `${server.url}?on-failure=block` })).text)).toMatchObject({
    decision: "block",
  });
});

test("serveApp listens on the machine's own address alone, and never without a token", async () => {
  const { server } = await served(guard, { token: "0123456789abcdef" });
  expect(server.token).toBe("0123456789abcdef");
  const others = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4");
  for (const { address } of others) {
    const url = server.url.replace("127.0.0.1", address);
    await expect(send(server, event, { url })).rejects.toMatchObject({ code: "ECONNREFUSED" });
  }
  for (const token of ["", "short", "with a blank in it", "line\nbreak-line-break"]) {
    await expect(serveApp(guard, { token })).rejects.toMatchObject({ code: "sdk/weak-token" });
  }
  await expect(serveApp({})).rejects.toMatchObject({ code: "sdk/no-app" });
});

test("a handler that ends the process has failed, in serveApp and in the test client", async () => {
  const app = createApp().preTool("Bash", { name: "leaves", onFailure: "block" }, () => process.exit(0));
  const why = "leaves failed: process.exit(0) was called; hooks and tasks end by returning";
  const { server, complaints } = await served(app);
  expect((await send(server, event)).text).toContain(why);
  expect(complaints).toEqual([expect.stringContaining("Hook leaves failed on PreToolUse")]);
  (await testClient(app).preTool("Bash", { command: "ls" })).expectDenied(why);
});

test("a handler cannot end its own process with a signal, unless a listener handles it", async () => {
  const asks = createApp().preTool("Bash", () => deny(`alive: ${process.kill(process.pid, 0)}`));
  (await testClient(asks).preTool("Bash", { command: "ls" })).expectDenied("alive: true");
  const heard: string[] = [];
  const listener = () => heard.push("SIGUSR2");
  process.once("SIGUSR2", listener);
  const calls = createApp().preTool("Bash", { onFailure: "block" }, () => void process.kill(process.pid, "SIGUSR2"));
  expect((await testClient(calls).preTool("Bash", { command: "ls" })).decision).toBe("none");
  await expect.poll(() => heard).toEqual(["SIGUSR2"]);
  // The server is closed.
  (await testClient(calls).preTool("Bash", { command: "ls" })).expectDenied(/process\.kill\(\d+, SIGUSR2\) was called/);
});

test("a server that closes answers what has begun, and an aborted signal closes it", async () => {
  const stop = new AbortController();
  const [begun, aborted] = [deferred(), deferred()];
  let disposed = 0;
  const app = createApp()
    .provide("thing", () => 1, { scope: "process", dispose: () => disposed++ })
    .preTool("Bash", async (_event, { thing }) => {
      begun.resolve();
      await aborted.promise;
      return deny(`slow ${thing}`);
    });
  const { server } = await served(app, { signal: stop.signal });
  const answer = send(server, event);
  await begun.promise;
  stop.abort();
  aborted.resolve();
  await server.close();
  expect((await answer).text).toContain("slow 1");
  expect(disposed).toBe(1);
});
