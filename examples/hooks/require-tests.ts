// Lets the agent stop only with test evidence newer than its last edit; asks for it once per turn at most.
// app.include(requireTests({ command: /\bmake check\b/, evidence: "reports/junit.xml" }));
import { statSync } from "node:fs";
import { type Blueprint, block, blueprint } from "hookline/sdk";

export interface RequireTestsOptions {
  /** What counts as running tests. Only runs that succeed do. */
  readonly command?: RegExp;
  /** A file that tests write; newer than the last edit, it is evidence too. */
  readonly evidence?: string;
  /** Edits of other files need no tests. */
  readonly files?: RegExp;
}

const usual =
  /\b(?:npm|pnpm|yarn|bun) (?:run )?test\b|\b(?:pytest|vitest|jest|phpunit|rspec)\b|\b(?:go|cargo|dotnet) test\b/;
const why =
  "Files changed since tests last passed. Run them before you stop, in the foreground and without a pipe or `;` behind them.";

export function requireTests(options: RequireTestsOptions = {}): Blueprint {
  const part = blueprint("require-tests", options, { command: "RegExp", evidence: "string", files: "RegExp" });
  const { command = usual, evidence, files = /./ } = options;
  part.postTool(["Write", "Edit", "MultiEdit"], async ({ input }, { state }) => {
    if (files.test(input.file_path)) await state.set("editedAt", Date.now());
  });
  part.postTool("Bash", { when: ({ input }) => isRun(input, command) }, async (_event, { state }) => {
    await state.set("testedAt", Date.now());
  });
  part.onStop({ name: "require-tests" }, async ({ stopHookActive }, { state, path }) => {
    const editedAt: number | undefined = await state.get("editedAt");
    if (stopHookActive || editedAt === undefined) return undefined;
    const written = evidence === undefined ? undefined : statSync(path(evidence), { throwIfNoEntry: false })?.mtimeMs;
    const testedAt = Math.max((await state.get("testedAt")) ?? 0, written ?? 0);
    return testedAt >= editedAt ? undefined : block(why);
  });
  return part;
}

/** In the background tests have only begun; before a pipe, a semicolon or a further line they may fail, and the call succeeds. */
function isRun(input: { readonly command: string; readonly run_in_background?: boolean }, command: RegExp): boolean {
  const at = input.command.search(command);
  const rest = input.command.slice(at).trimEnd();
  if (at < 0 || input.run_in_background === true || /(?<![&>])&(?![&>])/.test(rest)) return false;
  return !/[|;]|(?<!\\|&&)\n/.test(rest) || input.command.includes("pipefail");
}
