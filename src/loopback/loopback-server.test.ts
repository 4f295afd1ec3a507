import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Loopback, newToken, openLoopback, sameToken, sendJson } from "./internal.ts";

let folder: string;
const open: Loopback[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hookline-loopback-"));
});
afterEach(() => {
  for (const server of open.splice(0)) {
    server.stop();
    server.end();
  }
  rmSync(folder, { recursive: true, force: true });
});

const token = newToken();
const start = async (options: { port?: number; socket?: string } = {}) => {
  const handle = (_request: unknown, reply: Parameters<typeof sendJson>[0]) => sendJson(reply, 200, { ok: true });
  const server = await openLoopback({ port: 0, token, handle, ...options });
  open.push(server);
  return server;
};
const ask = (port: number, headers: Readonly<Record<string, string>>) =>
  new Promise<number>((done, fail) => {
    const all = { Authorization: `Bearer ${token}`, ...headers };
    const asked = request({ host: "127.0.0.1", port, headers: all, agent: false }, (reply) => {
      reply.resume();
      done(reply.statusCode ?? 0);
    });
    asked.on("error", fail);
    asked.end();
  });

test("no page in a browser is answered, not even one that claims the origin of the server", async () => {
  const { port } = await start();
  const own = `http://127.0.0.1:${port}`;
  expect(await ask(port, {})).toBe(200);
  expect(await ask(port, { Origin: own })).toBe(403);
  expect(await ask(port, { "Sec-Fetch-Site": "same-origin" })).toBe(403);
  expect(await ask(port, { Origin: "https://evil.com" })).toBe(403);
  expect(await ask(port, { Origin: `${own}.evil.com` })).toBe(403);
  expect(await ask(port, { "Sec-Fetch-Site": "cross-site" })).toBe(403);
});

test("a port that is in use is reported with its error code", async () => {
  const { port } = await start();
  await expect(start({ port })).rejects.toMatchObject({ code: "loopback/port-taken" });
});

test("a socket is this user's alone; one that was left behind is replaced, a link or a file is not touched", async () => {
  const socket = join(folder, "s");
  await start({ socket });
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  const victim = join(folder, "victim");
  writeFileSync(victim, "kept");
  const link = join(folder, "link");
  symlinkSync(victim, link);
  await expect(start({ socket: link })).rejects.toMatchObject({ code: "loopback/not-a-socket" });
  await expect(start({ socket: victim })).rejects.toMatchObject({ code: "loopback/not-a-socket" });
  expect(statSync(victim).size).toBe(4);
});

test("the socket answers as the port does: in one piece or in several, and not with a wrong token", async () => {
  const socket = join(folder, "s");
  await start({ socket });
  const say = (...pieces: readonly string[]) =>
    new Promise<string>((done, fail) => {
      const wire = connect(socket);
      let text = "";
      wire.on("data", (part) => {
        text += part.toString();
      });
      wire.on("error", fail).on("close", () => done(text));
      void (async () => {
        for (const piece of pieces) {
          wire.write(piece);
          // Turns in which the server reads what is there.
          for (let turns = 0; turns < 10; turns++) await new Promise((next) => setImmediate(next));
        }
      })();
    });
  const head = (bearer: string) =>
    `POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${bearer}\r\nContent-Length: 2\r\n`;
  const end = "Connection: close\r\n\r\n{}";
  expect(await say(head(token) + end)).toContain('{"ok":true}');
  expect(await say(head(token), end)).toContain('{"ok":true}');
  expect(await say(`${head("wrong")}\r\n{}`)).toMatch(/^HTTP\/1\.1 401 /);
});

test("tokens are long, differ, and are compared whole", () => {
  expect(newToken()).toMatch(/^[0-9a-f]{64}$/);
  expect(newToken()).not.toBe(newToken());
  expect([sameToken("a", "a"), sameToken("a", "ab"), sameToken("", "a")]).toEqual([true, false, false]);
});
