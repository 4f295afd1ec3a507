import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");

/** What the compiler says to a hooks file, by line: where, and the innermost sentence. */
function complaints(lines: readonly string[]): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "type-errors-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/hookline"));
  symlinkSync(join(root, "node_modules/@types"), join(folder, "node_modules/@types"));
  writeFileSync(join(folder, "hooks.ts"), lines.join("\n"));
  const options = ["--strict", "--noEmit", "--skipLibCheck", "--module", "nodenext", "--target", "es2023"];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const { stdout } = spawnSync(process.execPath, [tsc, ...options, "--types", "node", "hooks.ts"], {
    cwd: folder,
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true, force: true });
  return stdout
    .split(/^(?=hooks\.ts)/m)
    .filter((text) => text !== "")
    .map((text) => `${/\(\d+,\d+\)/.exec(text)?.[0]} ${text.trim().split("\n").at(-1)?.trim()}`);
}

test("a wrong return value and a misspelled option are explained at their own place", () => {
  expect(
    complaints([
      'import { createApp } from "hookline/sdk";',
      "const app = createApp();",
      'app.preTool("Bash", () => "deny");',
      'app.preTool("Bash", { onFailur: "block" }, ({ input }) => void input.command);',
      'app.preTool("mcp__a__b", () => "deny");',
      "app.onStop(() => 1);",
    ]),
  ).toEqual([
    expect.stringMatching(/^\(3,27\) Type 'string' is not assignable to type .*AnswerForTool<"PreToolUse", "Bash">/),
    expect.stringMatching(/^\(4,23\) Object literal .*'onFailur' does not exist.*Did you mean to write 'onFailure'\?$/),
    expect.stringMatching(/^\(5,32\) Type 'string' is not assignable to type .*AnswerFor<"PreToolUse">/),
    expect.stringMatching(/^\(6,18\) Type 'number' is not assignable to type .*AnswerFor<"Stop">/),
  ]);
});

test("tasks.add needs the input of a task that has one, and nothing else of a task without", () => {
  expect(
    complaints([
      'import { createApp } from "hookline/sdk";',
      "const app = createApp();",
      'const clean = app.task("clean", () => 1);',
      'const lint = app.task("lint", (file: string) => file.length);',
      "app.onStop((_event, { tasks }) => void tasks.add(clean));",
      'app.onStop((_event, { tasks }) => void tasks.add(lint, "a", { key: "k" }));',
      "app.onStop((_event, { tasks }) => void tasks.add(lint));",
      "app.onStop((_event, { tasks }) => void tasks.add(lint, 5));",
    ]),
  ).toEqual([expect.stringContaining("(7,46) "), expect.stringContaining("(8,56) ")]);
});
