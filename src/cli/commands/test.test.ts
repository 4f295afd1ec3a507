import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, expect, test } from "vitest";
import type { Io } from "../command.ts";
import { main } from "../main.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const hooks = `import { createApp, deny } from "${join(import.meta.dirname, "../../sdk/index.ts")}";
export default createApp().preTool("Bash", { name: "guard" }, ({ input }) => (/rm/.test(String(input.command)) ? deny("no rm") : undefined));
`;

function project(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-test-"));
  folders.push(folder);
  mkdirSync(join(folder, ".claude/hooks-tests"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, ".claude", name), text);
  return folder;
}

async function run(cwd: string, ...words: string[]) {
  let out = "";
  let err = "";
  const io: Io = {
    stdin: Readable.from([]),
    out: async (text) => {
      out += text;
    },
    err: async (text) => {
      err += text;
    },
    env: { PATH: process.env["PATH"], HOME: cwd, HOOKLINE_HOME: join(cwd, "state") },
    cwd,
    home: cwd,
    terminal: { out: false, err: false, colour: false, columns: 80 },
    signal: new AbortController().signal,
  };
  return { code: await main(["test", ...words], io), out, err };
}

test("SD-99, SD-104: no tests is 2, a case that fails is 3, all good is 0", async () => {
  expect((await run(project({}))).code).toBe(2);
  const one = (decision: string) =>
    JSON.stringify({ name: "rm", event: "PreToolUse", tool: "Bash", input: { command: "rm x" }, expect: { decision } });
  const good = await run(project({ "hooks.ts": hooks, "hooks-tests/a.json": one("deny") }));
  expect([good.code, good.out]).toEqual([0, "ok      rm\n"]);
  const bad = await run(project({ "hooks.ts": hooks, "hooks-tests/a.json": one("allow") }));
  expect([bad.code, bad.out]).toEqual([3, 'FAILED  rm: decision is "deny", expected "allow"\n']);
});

test("SD-104: programs run with Node's own runner, TypeScript too", async () => {
  const text = (wanted: number) => `import test from "node:test";
import assert from "node:assert";
test("sum", () => assert.equal(1 + 1, ${wanted} as number));
`;
  expect((await run(project({ "a.test.ts": text(2) }))).code).toBe(0);
  expect((await run(project({ "a.test.ts": text(3) }))).code).toBe(3);
});

test("SD-104: --event shows handlers, answer and wire", async () => {
  const shown = await run(
    project({ "hooks.ts": hooks }),
    "--event",
    "PreToolUse:Bash",
    "--input",
    '{"command":"rm x"}',
  );
  expect(shown.code).toBe(0);
  expect(shown.out).toMatch(/^PreToolUse {2}deny\n {2}guard {2}answered, .*\n {2}exit 0 {2}\{"hookSpecificOutput"/);
});
