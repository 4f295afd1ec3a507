import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { callHookline } from "../fixtures/caller.ts";

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

function run(cwd: string, ...words: string[]) {
  const env = { PATH: process.env["PATH"], HOME: cwd, HOOKLINE_HOME: join(cwd, "state") };
  return callHookline(["test", ...words], { home: cwd, env });
}

test("SD-99, SD-104: no tests is 2, a case that fails is 3, all good is 0", async () => {
  expect((await run(project({}))).status).toBe(2);
  const one = (decision: string) =>
    JSON.stringify({ name: "rm", event: "PreToolUse", tool: "Bash", input: { command: "rm x" }, expect: { decision } });
  const good = await run(project({ "hooks.ts": hooks, "hooks-tests/a.json": one("deny") }));
  expect([good.status, good.out]).toEqual([0, "ok      rm\n"]);
  const bad = await run(project({ "hooks.ts": hooks, "hooks-tests/a.json": one("allow") }));
  expect([bad.status, bad.out]).toEqual([3, 'FAILED  rm: decision is "deny", expected "allow"\n']);
});

test("SD-104: programs run with Node's own runner, TypeScript too", async () => {
  const text = (wanted: number) => `import test from "node:test";
import assert from "node:assert";
test("sum", () => assert.equal(1 + 1, ${wanted} as number));
`;
  expect((await run(project({ "a.test.ts": text(2) }))).status).toBe(0);
  expect((await run(project({ "a.test.ts": text(3) }))).status).toBe(3);
});

test("SD-104: --event shows handlers, answer and wire", async () => {
  const shown = await run(
    project({ "hooks.ts": hooks }),
    "--event",
    "PreToolUse:Bash",
    "--input",
    '{"command":"rm x"}',
  );
  expect(shown.status).toBe(0);
  expect(shown.out).toMatch(/^PreToolUse {2}deny\n {2}guard {2}answered, .*\n {2}exit 0 {2}\{"hookSpecificOutput"/);
});

test("SD-104: an event nobody knows was called a bug of ours; one that the app has a handler for is sent", async () => {
  const own = `${hooks.replace("export default createApp()", "const app = createApp()")}
app.on("BrandNew", { name: "new" }, ({ raw }) => ({ kind: "systemMessage", text: String(raw["colour"]) }));
export default app;
`;
  const cases = [
    { name: "typo", event: "PreTool", expect: {} },
    { name: "own", event: "BrandNew", input: { colour: "red" }, expect: { systemMessages: ["red"], continue: true } },
  ];
  const folder = project({ "hooks.mjs": own, "hooks-tests/a.json": JSON.stringify(cases) });
  const ran = await run(folder);
  expect([ran.status, ran.out]).toEqual([
    3,
    'FAILED  typo: "PreTool" is no event, and no handler is for it. Did you mean "PreToolUse"?\nok      own\n',
  ]);
  const shown = await run(folder, "--event", "Nothing");
  expect([shown.status, shown.err]).toEqual([1, expect.stringContaining('"Nothing" is no event')]);
});
