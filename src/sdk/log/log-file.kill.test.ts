import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

let folder: string;
let home: string;
let built: string;
let count = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hookline-log-"));
  const { build } = await import("esbuild");
  built = join(folder, "log-file.mjs");
  await build({
    entryPoints: [resolve(import.meta.dirname, "log-file.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: built,
  });
});
beforeEach(() => {
  home = join(folder, `home-${count++}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const env = () => ({ HOOKLINE_HOME: home });
const files = () => readdirSync(join(home, "log")).sort();
const lines = (name = "hooks.jsonl") =>
  readFileSync(join(home, "log", name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("twelve processes write whole lines, and none is lost while the files hold them", async () => {
  await Promise.all(Array.from({ length: 12 }, (_, who) => writer(who, 100, 5 * 2 ** 20, 3)));
  const seen = lines().map(({ who, n }) => `${who} ${n}`);
  expect([seen.length, new Set(seen).size]).toEqual([1_200, 1_200]);
  expect(statSync(join(home, "log/hooks.jsonl")).mode & 0o777).toBe(0o600);
});

test("twelve processes that turn files over leave three of them, within bounds and of whole lines", async () => {
  await Promise.all(Array.from({ length: 12 }, (_, who) => writer(who, 200, 20_000, 3)));
  // The very last line may have turned the current one over.
  expect([...new Set(["hooks.jsonl", ...files()])]).toEqual(["hooks.jsonl", "hooks.jsonl.1", "hooks.jsonl.2"]);
  for (const name of files()) {
    expect(lines(name).length).toBeGreaterThan(0);
    // A process that comes during a rotation still writes its lines; of the 900 KB written, little stays.
    expect(statSync(join(home, "log", name)).size).toBeLessThan(200_000);
  }
});

function writer(who: number, times: number, maxBytes: number, keep: number): Promise<void> {
  const words = [resolve(import.meta.dirname, "../fixtures/write-log.mjs"), built, who, times, maxBytes, keep].map(
    String,
  );
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, words, { env: env(), stdio: ["ignore", "ignore", "pipe"] });
    let output = "";
    child.stderr.on("data", (chunk: Buffer) => {
      output += chunk;
    });
    child.on("close", (code) => (code === 0 && output === "" ? done() : fail(new Error(output))));
  });
}
