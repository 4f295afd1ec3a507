import { join } from "node:path";
import { expect, test } from "vitest";
import { app, asked } from "../fixtures/introspected.ts";

test("an app reports ids, failure modes, deadlines and inputs; what it prints is kept apart", async () => {
  const body = `console.log("hello"); process.stdout.write("raw\\n"); console.error(name);
app.preTool(["Bash", "mcp__x__*"], { onFailure: "block", timeoutMs: 1500 }, () => undefined).postTool(() => undefined).onStop(() => undefined);`;
  const { result, file, project } = asked(app(body, 'import { name } from "./lib.ts";'));
  const { events, inputs, prints, contentHash } = await result;
  expect(events).toEqual([
    { event: "PreToolUse", ids: ["PreToolUse:Bash", "PreToolUse:mcp__x__*"], onFailure: "block", deadlineMs: 1500 },
    { event: "PostToolUse", ids: ["PostToolUse"], onFailure: "continue", deadlineMs: 30_000 },
    { event: "Stop", ids: ["Stop"], onFailure: "continue", deadlineMs: 30_000 },
  ]);
  expect([...inputs].sort()).toEqual([file, join(project, ".claude", "lib.ts")].sort());
  expect([prints, contentHash.length]).toEqual(["hello\nraw\nlib", 64]);
});

test.each([
  [
    "a syntax error",
    "const = 1;",
    "install/syntax",
    /app\.ts has a syntax error: app\.ts:1: .*\. Nothing was written\.$/,
  ],
  [
    "a missing import",
    'import "./gone.ts";\nexport default 1;',
    "install/import",
    /app\.ts cannot be imported: .*gone/,
  ],
  ["a missing package", 'import "no-such-package-here";\nexport default 1;', "install/import", /no-such-package-here/],
  ["a file that throws", 'throw new Error("boom");', "install/import", /boom/],
  ["a file that ends the process", "process.exit(0);", "install/import", /ended the process with status 0/],
  [
    "a file that prints without end",
    'process.stdout.write("x".repeat(2 ** 25)); export default 1;',
    "install/import",
    /prints without end/,
  ],
  ["a file that is killed", 'process.kill(process.pid, "SIGKILL");', "install/import", /ended by SIGKILL/],
  [
    "a file that damages its report",
    'JSON.stringify = () => "{}"; throw new Error("x");',
    "install/import",
    /changes Node's own output/,
  ],
  ["no default export", "export const x = 1;", "install/no-app", /no default export/],
  ["another default export", "export default {};", "install/no-app", /exports no app/],
])("%s has its own message, with the file's name", async (_, text, code, message) => {
  const { result, file } = asked(text);
  await expect(result).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  await expect(result).rejects.toThrow(file);
});

test("a syntax error in plain JavaScript is reported as one", async () => {
  const { result } = asked("const = 1;", { name: "app.mjs" });
  await expect(result).rejects.toMatchObject({ code: "install/syntax", message: expect.stringMatching(/app\.mjs:1/) });
});

test("an app without handlers has no events", async () => {
  expect((await asked(app("")).result).events).toEqual([]);
});
