import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endpointFor } from "../../src/daemon/internal.ts";
import { appKey } from "../../src/sdk/internal.ts";
import { until } from "../until.ts";
import { app, type DaemonWorld, denial, event, guard, openDaemonWorld, type PostOptions } from "./world.ts";

let world: DaemonWorld;
let file: string;
let pid: number;
/** Begun with the first test and looked at by the last: it takes ten seconds. */
let trickle: Promise<{ answer: string; afterMs: number }>;
/** Likewise: heads of requests that never end, on the port and on the socket. */
let drips: Promise<readonly string[]>;
beforeAll(async () => {
  world = await openDaemonWorld();
  file = world.file("guard.mjs", guard);
  ({ pid } = await world.serve(file));
  trickle = trickles();
  drips = dripping();
});
afterAll(() => world.remove());

const ask = (options: PostOptions = {}, payload: unknown = JSON.parse(event())) => world.post(file, payload, options);
const statuses = async (all: Readonly<Record<string, PostOptions>>) =>
  Object.fromEntries(
    await Promise.all(Object.entries(all).map(async ([name, one]) => [name, (await ask(one)).status] as const)),
  );
const routes = () => [`/v1/hook/${appKey(file)}`, "/v1/health", "/", "/v1/hook/other", "/index.html"];

describe("limits of a request", () => {
  test("an event is answered, with version and source of the code that answered", async () => {
    const { status, text, headers } = await ask();
    expect([status, text]).toEqual([200, denial("no")]);
    expect(headers).toMatchObject({
      "hookline-version": expect.any(String),
      "hookline-source": expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  test("a wrong key, method, type or size is refused with its own status", async () => {
    expect(
      await statuses({
        key: { path: "/v1/hook/0123" },
        get: { method: "GET" },
        put: { method: "PUT" },
        health: { path: "/v1/health" },
        text: { headers: { "Content-Type": "text/plain" } },
        none: { headers: { "Content-Type": undefined } },
        large: { headers: { "Content-Length": String(26 * 2 ** 20) } },
      }),
    ).toEqual({ key: 404, get: 405, put: 405, health: 405, text: 415, none: 415, large: 413 });
    expect((await ask({ method: "GET", path: "/v1/health" })).text).toContain(`"pid":${pid}`);
  });

  test("a body without a length is cut off at the limit", async () => {
    const { port } = await endpointFor(file, { env: world.env });
    const head = await headFor(file);
    const flood = raw(port, (socket) => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      const chunk = `100000\r\n${"x".repeat(2 ** 20)}\r\n`;
      for (let i = 0; i < 27; i++) socket.write(chunk);
    });
    expect(await flood).toMatch(/^HTTP\/1\.1 413 /);
    expect((await ask()).status).toBe(200);
  });

  test("the token is checked before the body is sent", async () => {
    const { port, url } = await endpointFor(file, { env: world.env });
    const answer = await raw(port, (socket) =>
      socket.write(
        `POST ${new URL(url).pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n`,
      ),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe("who may call the daemon", () => {
  test("a Host that is not ours is 403 on every route, with the right token too", async () => {
    const { port } = await endpointFor(file, { env: world.env });
    for (const path of routes()) {
      for (const Host of [
        "evil.com",
        "127.0.0.1.evil.com",
        `127.0.0.1.evil.com:${port}`,
        "127.0.0.1",
        `127.0.0.1:${port + 1}`,
      ]) {
        expect((await ask({ path, headers: { Host } })).status).toBe(403);
      }
      expect((await ask({ path, headers: { Host: undefined } })).status).toBe(403);
    }
    expect((await ask({ headers: { Host: `localhost:${port}` } })).status).toBe(200);
  });

  test("a request without a Host, or with two, is 403", async () => {
    const { port, token, url } = await endpointFor(file, { env: world.env });
    const path = new URL(url).pathname;
    const send = (lines: readonly string[]) => raw(port, (socket) => socket.write(`${lines.join("\r\n")}\r\n\r\n`));
    const rest = [`Authorization: Bearer ${token}`, "Content-Type: application/json", "Content-Length: 0"];
    expect(await send([`POST ${path} HTTP/1.1`, ...rest])).toMatch(/^HTTP\/1\.1 403 /);
    expect(await send([`POST ${path} HTTP/1.0`, ...rest])).toMatch(/^HTTP\/1\.1 403 /);
    expect(await send([`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, "Host: evil.com", ...rest])).toMatch(
      /^HTTP\/1\.1 403 /,
    );
  });

  test("requests of other sites are 403, and no reply lets them read it", async () => {
    const upgrade = { Connection: "Upgrade", Upgrade: "websocket", Origin: "https://evil.com" };
    const seen = await Promise.all(
      [
        { headers: { Origin: "https://evil.com", "Content-Type": "text/plain" } },
        { headers: { Origin: "null" } },
        { headers: { Origin: "http://127.0.0.1" } },
        { headers: { "Sec-Fetch-Site": "cross-site" } },
        { headers: { "Sec-Fetch-Site": "same-site" } },
        { method: "OPTIONS", headers: { Origin: "https://evil.com", "Access-Control-Request-Method": "POST" } },
        { method: "GET", path: "/v1/health", headers: upgrade },
        { method: "GET", path: "/v1/health", headers: { Origin: "https://evil.com", Accept: "text/event-stream" } },
      ].map((one) => ask(one)),
    );
    expect(seen.map(({ status }) => status)).toEqual(Array(8).fill(403));
    const all = [...seen, await ask(), await ask({ path: "/" }), await ask({ headers: { Authorization: undefined } })];
    expect(
      all.flatMap(({ headers }) => Object.keys(headers)).filter((name) => name.startsWith("access-control")),
    ).toEqual([]);
  });

  test("every route needs the token, which is in a file of this user, in no argument list and no log", async () => {
    const { token } = await endpointFor(file, { env: world.env });
    for (const path of routes()) {
      for (const method of ["GET", "POST"]) {
        for (const Authorization of [undefined, "Bearer wrong", `Bearer ${token}x`, `Basic ${token}`, "Bearer "]) {
          expect((await ask({ path, method, headers: { Authorization } })).status).toBe(401);
        }
      }
    }
    const kept = join(world.folder, "state/daemon", appKey(file));
    for (const name of readdirSync(kept)) expect(statSync(join(kept, name)).mode & 0o077).toBe(0);
    expect(statSync(kept).mode & 0o777).toBe(0o700);
    const line = readFileSync(`/proc/${pid}/cmdline`, "utf8") + readFileSync(`/proc/${pid}/environ`, "utf8");
    const log = readFileSync(join(world.folder, "state/log/hooks.jsonl"), "utf8");
    expect((line + log).includes(token)).toBe(false);
  });

  test("the daemon listens on loopback and on a socket of this user's, which answers too", async () => {
    const inodes = readdirSync(`/proc/${pid}/fd`).map((fd) => link(`/proc/${pid}/fd/${fd}`));
    const owns = (inode: string) => inodes.includes(`socket:[${inode}]`);
    const listening = ["tcp", "tcp6"].flatMap((kind) =>
      readFileSync(`/proc/${pid}/net/${kind}`, "utf8")
        .trim()
        .split("\n")
        .slice(1)
        .map((row) => row.trim().split(/\s+/))
        .filter((row) => row[3] === "0A" && owns(row[9] ?? ""))
        .map((row) => (row[1] ?? "").split(":")[0]),
    );
    expect(listening).toEqual(["0100007F"]);
    const path = join(world.folder, "state/daemon", appKey(file), "socket");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const { token, url } = await endpointFor(file, { env: world.env });
    const status = await new Promise((done) => {
      const headers = { Host: "localhost", Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const asked = request({ socketPath: path, path: new URL(url).pathname, method: "POST", headers }, (reply) => {
        reply.resume();
        done(reply.statusCode);
      });
      asked.end(event());
    });
    expect(status).toBe(200);
  });
});

test("over http: a payload that is not an event is 400, and refused where the entry says block", async () => {
  expect((await ask({}, "{")).status).toBe(400);
  const refused = await ask({ query: "?on-failure=block" }, "{");
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([200, { decision: "block", continue: false }]);
});

test("an event for a file that does not load is denied in the event's own form where the entry says block, else reported", async () => {
  const broken = world.file("broken.mjs", "const a = ;");
  await world.serve(broken);
  const payload = JSON.parse(event());
  const strict = JSON.parse((await world.post(broken, payload, { query: "?onFailure=block" })).text);
  expect(strict).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
  const soft = JSON.parse((await world.post(broken, payload)).text);
  expect(soft).toEqual({ systemMessage: expect.stringContaining("does not load") });
  const noted = {
    event: "PreToolUse",
    session: "s",
    transport: "http",
    failed: expect.stringContaining("does not load"),
  };
  expect(world.log()).toContainEqual(expect.objectContaining(noted));
  const byClient = await world.client([broken, "--on-failure", "block"], event());
  expect(byClient).toEqual(await world.cli(["run", broken, "--on-failure", "block"], { input: event() }));
});

test("a host that goes away aborts the handler's signal", async () => {
  const out = join(world.project, "aborted.txt");
  const waits = world.file(
    "waits.mjs",
    `import { writeFileSync } from "node:fs";\n${app(`
      app.preTool((_e, { signal }) => new Promise((done) => {
        writeFileSync(${JSON.stringify(out)}, "waiting");
        signal.addEventListener("abort", () => { writeFileSync(${JSON.stringify(out)}, String(signal.reason)); done(); });
      }));`)}`,
  );
  await world.serve(waits);
  const host = new AbortController();
  const gone = world.post(waits, JSON.parse(event()), { signal: host.signal }).catch(() => "gone");
  const says = () => {
    try {
      return readFileSync(out, "utf8");
    } catch {
      return ""; // not yet
    }
  };
  await until("the handler waits", () => says() === "waiting");
  host.abort();
  expect(await gone).toBe("gone");
  await until("the signal aborts", () => says().includes("the host went away"));
});

test("a slow body times out after ten seconds", async () => {
  const { answer, afterMs } = await trickle;
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(afterMs).toBeGreaterThan(9_000);
});

test("a head that never ends times out, on the socket too", async () => {
  expect(await drips).toEqual([expect.stringMatching(/^HTTP\/1\.1 408 /), expect.stringMatching(/^HTTP\/1\.1 408 /)]);
});

async function dripping() {
  const { port } = await endpointFor(file, { env: world.env });
  const head = await headFor(file);
  const socket = join(world.folder, "state/daemon", appKey(file), "socket");
  return Promise.all([port, socket].map((door) => raw(door, (wire) => wire.write(head))));
}

async function trickles() {
  const { port } = await endpointFor(file, { env: world.env });
  const head = await headFor(file);
  const begun = Date.now();
  const answer = await raw(port, (socket) => {
    socket.write(`${head}Content-Length: 100\r\n\r\n{`);
    const timer = setInterval(() => socket.write(" "), 900);
    socket.on("close", () => clearInterval(timer));
  });
  return { answer, afterMs: Date.now() - begun };
}

async function headFor(hooks: string): Promise<string> {
  const { port, token, url } = await endpointFor(hooks, { env: world.env });
  return `POST ${new URL(url).pathname} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;
}

function raw(door: number | string, talk: (socket: ReturnType<typeof connect>) => void): Promise<string> {
  return new Promise((done) => {
    const socket = connect(typeof door === "number" ? { port: door, host: "127.0.0.1" } : { path: door }, () =>
      talk(socket),
    );
    socket.on("error", () => undefined);
    let text = "";
    socket.on("data", (part) => {
      text += part;
      done(text);
      socket.destroy();
    });
  });
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed meanwhile
  }
}
