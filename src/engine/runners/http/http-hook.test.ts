import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import { deferred } from "../../../../test/deferred.ts";
import { packageVersion } from "../../../files/internal.ts";
import type { HttpHook } from "../../../protocol/internal.ts";
import { type HttpCall, runHttp } from "./http-hook.ts";

interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let running: Server | undefined;

afterEach(() => {
  running?.closeAllConnections();
  running?.close();
  running = undefined;
});

async function serve(answer: RequestListener): Promise<{ origin: string; port: number; seen: Seen[] }> {
  const seen: Seen[] = [];
  running = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      const { method, url, headers } = request;
      seen.push({ method, url, headers, body: Buffer.concat(pieces).toString() });
      answer(request, response);
    });
  });
  running.listen(0, "127.0.0.1");
  await once(running, "listening");
  const { port } = running.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port, seen };
}

const answering =
  (status: number, body: string | Buffer = "", headers: Record<string, string> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

type Loose = Omit<Partial<HttpCall>, "policy"> & { policy?: Partial<HttpCall["policy"]> };

function post(url: string, hook: Partial<HttpHook> = {}, { policy, ...more }: Loose = {}) {
  return runHttp(
    { type: "http", url, ...hook },
    {
      body: '{"hook_event_name":"Stop"}',
      env: {},
      policy: { urlLists: [], variableLists: [], allowPrivate: true, ...policy },
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      ...more,
    },
  );
}

const quiet = { stderr: "", warnings: [] };

test("a hook is one POST with the payload as JSON, a fixed agent and the hook's own headers", async () => {
  const { origin, port, seen } = await serve(answering(200, '{"a":1}'));
  const headers = { Authorization: "Bearer ${TOK}", "user-agent": "mine" };
  const ran = await post(`${origin}/deny?q=1#x`, { headers, allowedEnvVars: ["TOK"] }, { env: { TOK: "tokval" } });
  expect(seen).toEqual([
    {
      method: "POST",
      url: "/deny?q=1",
      headers: {
        accept: "application/json",
        "accept-encoding": "gzip, br",
        authorization: "Bearer tokval",
        connection: "close",
        "content-length": "26",
        "content-type": "application/json",
        host: `127.0.0.1:${port}`,
        "user-agent": `Hookline/${packageVersion()}`,
      },
      body: '{"hook_event_name":"Stop"}',
    },
  ]);
  expect(ran).toEqual({
    ended: { by: "http", status: 200 },
    output: { kind: "body", ok: true, whole: true },
    stdout: '{"a":1}',
    stderr: "",
    warnings: [expect.objectContaining({ code: "header-ignored" })],
  });
});

test.each([
  ["ana:hunter2@", "ana:hunter2"],
  ["ana:p%40ss%2fé@", "ana:p@ss/é"],
  ["ana@", "ana:"],
  [":hunter2@", ":hunter2"],
  ["ana:50%@", "ana:50%"],
])("user name and password of the url %j are sent as a header, and are in no text", async (written, sent) => {
  const { port, seen } = await serve(answering(500));
  const ran = await post(`http://${written}127.0.0.1:${port}/x`);
  expect(seen.map(({ url, headers }) => [url, headers.authorization, headers.host])).toEqual([
    ["/x", `Basic ${Buffer.from(sent).toString("base64")}`, `127.0.0.1:${port}`],
  ]);
  expect(ran.failure).toBe(`HTTP 500 from http://127.0.0.1:${port}/x`);
});

test("the hook's own Authorization header counts before user name and password of the url", async () => {
  const { port, seen } = await serve(answering(200));
  await post(`http://ana:hunter2@127.0.0.1:${port}/`, { headers: { authorization: "Bearer mine" } });
  expect(seen[0]?.headers.authorization).toBe("Bearer mine");
});

test("an empty 204 is a success", async () => {
  const { origin } = await serve(answering(204));
  expect(await post(origin)).toEqual({
    ...quiet,
    ended: { by: "http", status: 204 },
    output: { kind: "body", ok: true, whole: true },
    stdout: "",
  });
});

test.each([400, 403, 404, 500, 503])("status %i is a failure that keeps its body", async (status) => {
  const { origin } = await serve(answering(status, '{"decision":"block"}'));
  expect(await post(`${origin}/x?token=hunter2`)).toEqual({
    ...quiet,
    ended: { by: "http", status },
    output: { kind: "body", ok: false, whole: true },
    stdout: '{"decision":"block"}',
    failure: `HTTP ${status} from ${origin}/x`,
  });
});

test.each([301, 302, 307, 308])("a redirect by %i is not followed", async (status) => {
  const { origin, seen } = await serve(answering(status, "", { location: "/elsewhere" }));
  const ran = await post(`${origin}/x`);
  expect(ran.failure).toBe(`HTTP ${status} from ${origin}/x: redirects are not followed`);
  expect(seen.map(({ url }) => url)).toEqual(["/x"]);
});

test.each([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["GZIP", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
  ["identity", (text: string) => Buffer.from(text)],
])("a body in the coding %s is read", async (coding, encode) => {
  const text = `{"reason":"${"é€😀".repeat(5_000)}"}`;
  const { origin } = await serve(answering(200, encode(text), { "content-encoding": coding }));
  expect((await post(origin)).stdout).toBe(text);
});

test("a body of exactly 1 MiB is whole, one byte more is not", async () => {
  const mib = 1024 * 1024;
  const { origin } = await serve((request, response) => {
    response.end("x".repeat(Number(request.url?.slice(1))));
  });
  const fits = await post(`${origin}/${mib}`);
  const over = await post(`${origin}/${mib + 1}`);
  expect([fits.output, fits.stdout.length, fits.failure]).toEqual([
    { kind: "body", ok: true, whole: true },
    mib,
    undefined,
  ]);
  expect([over.output, over.stdout.length, over.droppedBytes]).toEqual([
    { kind: "body", ok: false, whole: false },
    mib,
    { stdout: 1, stderr: 0 },
  ]);
});

test("a port without a listener is a failure before the start", async () => {
  const { origin } = await serve(answering(200));
  running?.close();
  const ran = await post(`${origin}/x`);
  const why = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/x: connect ECONNREFUSED/);
  expect(ran).toEqual({
    ...quiet,
    ended: { by: "not-started", why },
    output: { kind: "nothing" },
    stdout: "",
    failure: why,
  });
});

test("a variable with a line break refuses the request, and nothing arrives", async () => {
  const { origin, seen } = await serve(answering(200));
  const hook = { headers: { X: "$EVIL" }, allowedEnvVars: ["EVIL"] };
  const ran = await post(origin, hook, { env: { EVIL: "hunter2\r\nX-Evil: 1" } });
  const why = "header X would hold a line break or NUL; the request was not sent";
  expect(ran).toEqual({
    ...quiet,
    ended: { by: "not-started", why },
    output: { kind: "nothing" },
    stdout: "",
    failure: why,
  });
  expect(seen).toEqual([]);
});

test("a variable that is not listed arrives empty and its value is nowhere in the run", async () => {
  const { origin, seen } = await serve(answering(500));
  const env = { AWS_SECRET_ACCESS_KEY: "hunter2" };
  const ran = await post(origin, { headers: { X: "$AWS_SECRET_ACCESS_KEY" } }, { env });
  expect(seen[0]?.headers["x"]).toBe("");
  expect(ran.warnings.map(({ code }) => code)).toEqual(["header-variable"]);
  expect(JSON.stringify(ran)).not.toContain("hunter2");
});

test("the value of a header is in no text of a failed run", async () => {
  const { origin } = await serve(answering(200));
  running?.close();
  const hook = { headers: { Authorization: "Bearer hunter2", X: "✓hunter2" } };
  for (const headers of [hook.headers, { Authorization: "Bearer hunter2" }]) {
    expect(JSON.stringify(await post(`${origin}/?t=hunter2`, { headers }))).not.toContain("hunter2");
  }
});

test.each([
  "http://127.0.0.1:PORT/",
  "http://localhost:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f000001:PORT/",
  "http://0177.0.0.1:PORT/",
  "http://127.1:PORT/",
  "http://0.0.0.0:PORT/",
  "http://[::1]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://[::ffff:7f00:1]:PORT/",
  "http://１２７.0.0.1:PORT/",
])("%s does not reach this machine unless allowed", async (url) => {
  const { port, seen } = await serve(answering(200));
  const ran = await post(url.replace("PORT", String(port)), {}, { policy: { allowPrivate: false } });
  expect(ran).toMatchObject({ ended: { by: "not-started" }, output: { kind: "nothing" } });
  expect(ran.failure).toContain("httpHookAllowPrivate");
  expect(seen).toEqual([]);
});

test("a pattern of httpHookAllowPrivate opens exactly what it names", async () => {
  const { origin, seen } = await serve(answering(200));
  const policy = { allowPrivate: [`${origin}/hooks/*`] };
  expect((await post(`${origin}/hooks/a`, {}, { policy })).failure).toBeUndefined();
  expect((await post(`${origin}/other`, {}, { policy })).failure).toContain("httpHookAllowPrivate");
  expect(seen.map(({ url }) => url)).toEqual(["/hooks/a"]);
});

test("a name is asked for once and the checked address is the one connected to", async () => {
  const { port, seen } = await serve(answering(200, "{}"));
  let asked = 0;
  // A rebinding server: it names another address first, and every later answer leads to the listener.
  const rebinding = async () => [{ address: asked++ === 0 ? "127.0.0.2" : "127.0.0.1", family: 4 }];
  const url = `http://hooks.example.test:${port}/`;
  const ran = await post(url, {}, { resolve: rebinding });
  expect([asked, seen]).toEqual([1, []]);
  expect(["not-started", "timeout"]).toContain(ran.ended.by);
  const pinned = await post(url, {}, { resolve: async () => [{ address: "127.0.0.1", family: 4 }] });
  expect([pinned.ended, seen[0]?.headers.host]).toEqual([{ by: "http", status: 200 }, `hooks.example.test:${port}`]);
});

test("a name with several addresses is tried at each of those that were checked", async () => {
  const { port } = await serve(answering(200, "{}"));
  const resolve = async () => [
    { address: "::1", family: 6 },
    { address: "127.0.0.1", family: 4 },
  ];
  expect((await post(`http://both.example.test:${port}/`, {}, { resolve })).ended).toEqual({ by: "http", status: 200 });
});

test("a URL off the list is not connected to", async () => {
  const { origin, seen } = await serve(answering(200));
  const ran = await post(`${origin}/x`, {}, { policy: { urlLists: [["https://a.example/*"]] } });
  expect(ran.failure).toBe(`${origin}/x is not on the list allowedHttpHookUrls`);
  expect(seen).toEqual([]);
});

test("the timeout covers the lookup of the name", async () => {
  const ran = await post(
    "http://slow.example.test/",
    {},
    { resolve: () => new Promise(() => undefined), timeoutMs: 20 },
  );
  expect(ran.ended).toEqual({ by: "timeout", afterMs: 20 });
});

test("a name found after the deadline is not connected to", async () => {
  const { origin, port } = await serve(answering(200));
  let connections = 0;
  running?.on("connection", () => {
    connections++;
  });
  const late = deferred<{ address: string; family: number }[]>();
  const ran = await post(`http://late.example.test:${port}/`, {}, { resolve: () => late.promise, timeoutMs: 10 });
  late.resolve([{ address: "127.0.0.1", family: 4 }]);
  // A connection made now would be counted before that of a further request.
  await post(origin);
  expect([ran.ended, connections]).toEqual([{ by: "timeout", afterMs: 10 }, 1]);
});

test("headers up to 64 KiB are read, more end the request", async () => {
  const { origin } = await serve((request, response) => {
    response.writeHead(200, { "x-long": "x".repeat(Number(request.url?.slice(1))) }).end("{}");
  });
  expect((await post(`${origin}/60000`)).stdout).toBe("{}");
  expect((await post(`${origin}/66000`)).failure).toContain("answered with more than 64 KiB of headers");
});

test("an abort ends the request at once and closes its connection", async () => {
  const controller = new AbortController();
  let closed: Promise<unknown> = Promise.reject(new Error("no request came"));
  closed.catch(() => undefined);
  const { origin } = await serve((request) => {
    closed = once(request.socket, "close");
    controller.abort();
  });
  const ran = await post(origin, {}, { signal: controller.signal });
  expect(ran.ended).toEqual({ by: "cancelled" });
  await closed;
});

test("proxies named by the environment are not used", async () => {
  const { origin, seen } = await serve(answering(200));
  const before = process.env["http_proxy"];
  process.env["http_proxy"] = "http://127.0.0.1:9";
  try {
    expect((await post(`${origin}/x`, {}, { env: { http_proxy: "http://127.0.0.1:9" } })).failure).toBeUndefined();
  } finally {
    if (before === undefined) delete process.env["http_proxy"];
    else process.env["http_proxy"] = before;
  }
  expect(seen.map(({ url }) => url)).toEqual(["/x"]);
});

test("https asks the checked address for the name in the URL and believes no server without a certificate", async () => {
  const names: string[] = [];
  const server = createTlsServer({
    SNICallback: (name, done) => {
      names.push(name);
      done(null);
    },
  });
  server.on("tlsClientError", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const ran = await post(`https://hooks.example.test:${port}/`, {}, { resolve });
  server.close();
  expect([ran.ended.by, ran.output, names]).toEqual(["not-started", { kind: "nothing" }, ["hooks.example.test"]]);
});

test("a server may answer without reading a large payload", async () => {
  running = createServer((_, response) => response.end("{}"));
  running.listen(0, "127.0.0.1");
  await once(running, "listening");
  const { port } = running.address() as AddressInfo;
  const body = JSON.stringify({ text: "x".repeat(5_000_000) });
  const ran = await post(`http://127.0.0.1:${port}/`, {}, { body });
  expect([ran.ended, ran.stdout]).toEqual([{ by: "http", status: 200 }, "{}"]);
});
