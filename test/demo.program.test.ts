import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";

const program = resolve(import.meta.dirname, "../dist/cli/bin.cjs");
const base = mkdtempSync(join(tmpdir(), "hookline-demo-test-"));
const temp = mkdtempSync(join(base, "temp-"));
const env = { PATH: process.env["PATH"], HOME: mkdtempSync(join(base, "home-")), TMPDIR: temp, NO_COLOR: "1" };
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Loaded before the program and, by the environment, before every Node hook: a process that opens a connection exits. */
const refuse = join(base, "refuse-sockets.mjs");
writeFileSync(
  refuse,
  `import net from "node:net";
import dns from "node:dns";
const no = () => { console.error("a socket was opened"); process.exit(99); };
net.Socket.prototype.connect = no;
dns.lookup = no;
globalThis.fetch = no;
`,
);

test("the demo runs without a network, prints its steps in lines of 80 columns, and leaves nothing behind", async () => {
  const offline = { ...env, NODE_OPTIONS: `--import=${refuse}` };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, "demo", "--fast"], {
    env: offline,
    timeout: 60_000,
  });
  expect(stderr).toBe("");
  expect(stdout).toContain("What happened");
  const lines = stdout.split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.some((line) => /PreToolUse +Bash +guard\.sh +denied +\d+ ms$/.test(line))).toBe(true);
  expect(lines.some((line) => /Stop +tests-pass\.sh +sent back +\d+ ms$/.test(line))).toBe(true);
  expect(lines.filter((line) => line.startsWith("user: "))).toEqual([
    "user: The total of the basket is negative. Please fix it.",
    "user: yes",
    "user: /compact",
    "user: What do you know about prices?",
  ]);
  expect(readdirSync(temp)).toEqual([]);
  expect(readdirSync(env.HOME)).toEqual([]);
}, 60_000);

test("Ctrl-C ends the demo and leaves nothing behind", async () => {
  const child = spawn(process.execPath, [program, "demo"], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stderr.on("data", (text) => {
    output += text;
  });
  await new Promise((done) => child.stdout.once("data", done));
  child.kill("SIGINT");
  const code = await new Promise((done) => child.once("close", done));
  expect([code, output]).toEqual([130, ""]);
  expect(readdirSync(temp)).toEqual([]);
}, 30_000);
