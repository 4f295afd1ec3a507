import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RouteOptions, routes } from "../../src/daemon/server/routes.ts";
import { type Loopback, newToken, openLoopback } from "../../src/loopback/internal.ts";

const token = newToken();
const nothing = () => undefined;
const options: RouteOptions = {
  ...{ key: "k", file: "", version: "0", secret: "", complain: nothing, ending: new AbortController().signal },
  ...{ health: () => ({}), leave: nothing, noteAgent: nothing, canReadEnvironment: () => true },
  app: {
    ...{ sourceHash: "", open: 0, end: async () => undefined },
    call: async ({ text, transport }) => {
      if (text === '"fail"') throw new Error("a bug");
      return { exitCode: 0, stdout: `{"by":"${transport}"}`, stderr: "", json: true };
    },
  },
};
let server: Loopback;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "routes-"));
  server = await openLoopback({ port: 0, socket: join(folder, "s"), token, handle: routes(options) });
});
afterAll(() => {
  server.stop();
  server.end();
  rmSync(folder, { recursive: true });
});

interface Raw {
  readonly start?: string;
  readonly host?: string;
  readonly auth?: string;
  readonly type?: string;
  readonly length?: number | string;
  readonly more?: string;
  readonly body?: string;
}

function raw({ start = "POST /v1/hook/k", host, auth = `Bearer ${token}`, type, length, more = "", body = "{}" }: Raw) {
  const lines = [
    `${start} HTTP/1.1`,
    `Host: ${host ?? `localhost:${server.port}`}`,
    ...(auth === "" ? [] : [`Authorization: ${auth}`]),
    `Content-Type: ${type ?? "application/json"}`,
    ...(length === "none" ? [] : [`Content-Length: ${length ?? body.length}`]),
  ];
  return `${lines.join("\r\n")}\r\n${more}\r\n${body}`;
}

/** The statuses of all that is answered until the connection ends, or as many as expected have come and a further call is answered. */
function say(transport: "port" | "socket", text: string, expected: number): Promise<readonly number[]> {
  return new Promise((done) => {
    const wire = transport === "port" ? connect(server.port, "127.0.0.1") : connect(join(folder, "s"));
    let received = "";
    const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
    const end = () => {
      wire.destroy();
      done(statuses());
    };
    wire.on("data", (part) => {
      received += part;
      if (statuses().length < expected) return;
      if (text === last()) end();
      else void say(transport, last(), 1).then(end);
    });
    wire.on("error", nothing).on("close", end);
    wire.write(text);
  });
}

/** A call after which nothing more is asked. */
const last = () => raw({ more: "Connection: close\r\n" });

const chunked = { length: "none", more: "Transfer-Encoding: chunked\r\n", body: "2\r\n{}\r\n0\r\n\r\n" };
const client = "Hookline-Client: 1 0 0 0 0 continue\r\n";
const cases: Readonly<Record<string, readonly [Raw | (() => string), ...number[]]>> = {
  "an event": [{}, 200],
  "one of a client": [{ more: client }, 200],
  "a client of another version": [{ more: client.replace("1 0", "1 9") }, 409],
  "in chunks": [chunked, 200],
  "two in one piece": [() => raw({}) + raw({}), 200, 200],
  "one, and then one without the token, ends there": [() => raw({}) + raw({ auth: "" }) + raw({}), 200, 401],
  "no token, and a body that never comes": [{ auth: "", length: 1_000_000 }, 401],
  "no token, of a client": [{ auth: "", more: client }, 401],
  "no token, and a question before the body": [{ auth: "", more: "Expect: 100-continue\r\n", body: "" }, 401],
  "no token, and another expectation": [{ auth: "", more: "Expect: tea\r\n" }, 401],
  "another expectation": [{ more: "Expect: tea\r\n" }, 417],
  "a wrong name comes before the token": [{ auth: "", host: "evil.com" }, 403],
  "the right name of another port": [{ host: "localhost:1" }, 403],
  "a number for a name": [{ host: "127.1" }, 403],
  "an origin comes before the token": [{ auth: "", more: "Origin: null\r\n" }, 403],
  "an empty origin": [{ more: "Origin:\r\n" }, 403],
  "an origin behind thousands of headers": [{ more: `${"a:\r\n".repeat(2_500)}Origin: http://evil.com\r\n` }, 403],
  "a client with an origin": [{ more: `${client}Origin: x\r\n` }, 403],
  "a whole address for a path": [{ start: "POST http://evil.com/v1/hook/k" }, 404],
  "the key comes before method and type": [{ start: "GET /v1/hook/x", type: "text/plain" }, 404],
  "the method comes before the type": [{ start: "PUT /v1/hook/k", type: "text/plain" }, 405],
  "the type comes before the size": [{ type: "text/plain", length: 26 * 2 ** 20 }, 415],
  "too large by its own word": [{ length: 26 * 2 ** 20 }, 413],
  "two lengths": [{ more: "Content-Length: 3\r\n" }, 400],
  "a length and chunks": [{ more: "Transfer-Encoding: chunked\r\n" }, 400],
  "a length that is none": [{ length: "+2" }, 400],
  "headers without end": [{ more: "X-A: aaaaaaaaaaaaaaaa\r\n".repeat(2_000) }, 431],
  "a folded header": [{ more: "X-A: b\r\n c\r\n" }, 400],
  "a failure of ours": [{ body: '"fail"' }, 500],
  "a failure of ours under block": [{ start: "POST /v1/hook/k?on-failure=block", body: '"fail"' }, 200],
  "a failure of ours, for a client": [{ more: client, body: '"fail"' }, 500],
};

describe.each(["port", "socket"] as const)("over the %s", (transport) => {
  test.concurrent.each(Object.entries(cases))("the answer has the right status: %s", async (_, [one, ...statuses]) => {
    const text = typeof one === "function" ? one() : raw(one);
    expect(await say(transport, text, statuses.length)).toEqual(statuses);
  });
});

test("a client that sends everything before it reads gets the denial of a payload that is too large", async () => {
  const wire = connect(server.port, "127.0.0.1");
  const failed = new Promise<string>((done) => wire.on("error", ({ message }) => done(message)));
  const sent = async () => {
    const start = "POST /v1/hook/k?on-failure=block";
    wire.write(raw({ start, length: 30 * 2 ** 20, body: "" }));
    for (let mib = 0; mib < 30; mib++) await new Promise((done) => wire.write(Buffer.alloc(2 ** 20, " "), done));
    return new Promise<string>((done) => wire.on("data", (part) => done(String(part))));
  };
  expect(await Promise.race([sent(), failed])).toMatch(/^HTTP\/1\.1 200 .*"decision":"block"/s);
  wire.destroy();
});
