import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { answerProof, processStart } from "../../../files/internal.ts";
import { runHttp } from "./http-hook.ts";

const key = "0123456789abcdef0123456789abcdef";
const secret = "5".repeat(64);
const allow = JSON.stringify({ hookSpecificOutput: { permissionDecision: "allow" } });

/** A server on a port, a state folder with a record, and what the server heard. */
async function stage(answer: (headers: IncomingHttpHeaders) => Record<string, string>) {
  const state = mkdtempSync(join(tmpdir(), "hookline-own-daemon-"));
  const heard: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers);
    request.resume().once("end", () => response.writeHead(200, answer(request.headers)).end(allow));
  }).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.close();
    rmSync(state, { recursive: true });
  });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const folder = join(state, "daemon", key);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const start = processStart(process.pid) ?? "-";
  return {
    heard,
    port,
    record(given: { pid?: number; start?: string; port?: number; mode?: number } = {}) {
      const words = ["hookline/1", given.pid ?? process.pid, given.start ?? start, given.port ?? port, key];
      const line = [...words, "t".repeat(64), secret, "1", "-", "1"].join(" ");
      rmSync(join(folder, "record"), { force: true });
      writeFileSync(join(folder, "record"), `${line}\n/node\n\n/hooks.mjs\n`, { mode: 0o600 });
      if (given.mode !== undefined) chmodSync(join(folder, "record"), given.mode);
    },
    noRecord: () => rmSync(join(folder, "record"), { force: true }),
    endpoint: (at: number) =>
      writeFileSync(join(folder, "endpoint.json"), JSON.stringify({ port: at }), { mode: 0o600 }),
    post: (query = "?on-failure=continue&daemon", host = "127.0.0.1") =>
      runHttp(
        {
          type: "http",
          url: `http://${host}:${port}/v1/hook/${key}${query}`,
          headers: { Authorization: "Bearer the-token" },
        },
        {
          body: "{}",
          env: {},
          policy: { urlLists: [], variableLists: [], allowPrivate: true },
          timeoutMs: 10_000,
          signal: new AbortController().signal,
          home: { env: { HOOKLINE_HOME: state } },
        },
      ),
  };
}

const proving = (headers: IncomingHttpHeaders) => ({
  "Hookline-Proof": answerProof(secret, String(headers["hookline-challenge"]), 200, allow),
});

test("the daemon of an app gets the token and is believed when it proves that it knows the secret of its record", async () => {
  const { heard, record, post } = await stage(proving);
  record();
  expect(await post()).toMatchObject({ ended: { by: "http", status: 200 }, stdout: allow });
  expect(heard.map(({ authorization }) => authorization)).toEqual(["Bearer the-token"]);
  expect(JSON.stringify(heard)).not.toContain(secret);
});

test("a process on the port that is not the daemon of the record gets nothing, not even the token", async () => {
  const { heard, port, record, noRecord, endpoint, post } = await stage(proving);
  const plants: (() => void)[] = [
    noRecord,
    () => record({ start: "1" }),
    () => record({ pid: 2 ** 22 + 1 }),
    () => record({ port: port - 1 }),
    () => record({ mode: 0o666 }),
  ];
  for (const plant of plants) {
    plant();
    expect(await post()).toMatchObject({ ended: { by: "not-started" }, stdout: "" });
  }
  record();
  expect(await post("?on-failure=continue&daemon", "localhost")).toMatchObject({ stdout: "" });
  // Entries of before the mark are known by the port that was chosen for the app.
  noRecord();
  endpoint(port);
  expect(await post("?on-failure=continue")).toMatchObject({ ended: { by: "not-started" } });
  expect(heard).toEqual([]);
});

test.each([
  ["none", () => ({})],
  [
    "one of another secret",
    (headers: IncomingHttpHeaders) => ({
      "Hookline-Proof": answerProof("6".repeat(64), String(headers["hookline-challenge"]), 200, allow),
    }),
  ],
  ["one of another call", () => ({ "Hookline-Proof": answerProof(secret, "0".repeat(64), 200, allow) })],
  [
    "one of another answer",
    (headers: IncomingHttpHeaders) => ({
      "Hookline-Proof": answerProof(secret, String(headers["hookline-challenge"]), 200, "{}"),
    }),
  ],
])("an answer without a proof that holds is a failure: %s", async (_what, answer) => {
  const { record, post } = await stage(answer as Parameters<typeof stage>[0]);
  record();
  const ran = await post();
  expect([ran.stdout, ran.failure]).toEqual(["", expect.stringContaining("without proof that it is the daemon")]);
});

test("an app that a program serves by itself, and any other server, is called without a challenge", async () => {
  const { heard, post, endpoint, port } = await stage(() => ({}));
  expect(await post("")).toMatchObject({ ended: { by: "http", status: 200 } });
  endpoint(port + 1);
  expect(await post("?on-failure=block")).toMatchObject({ ended: { by: "http", status: 200 } });
  expect(heard.map((headers) => headers["hookline-challenge"])).toEqual([undefined, undefined]);
});
