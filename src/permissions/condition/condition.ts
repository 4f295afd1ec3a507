import { posix } from "node:path";
import { fitsPieces, isObject } from "../../protocol/internal.ts";
import type { JudgeContext } from "../judge/judge-context.ts";
import { foldName, segmentsBelow, worktreeAround } from "../paths/resolve-path.ts";
import { coversPath, type PathPattern } from "../rules/path-pattern.ts";
import { isInvalid } from "../rules/rule.ts";
import { type RuleMeaning, readRule, type Target } from "../rules/rule-meaning.ts";
import { currentName, type ToolNames } from "../rules/rule-tools.ts";
import { couldStartAgent, couldStartSkill, coversHost, fieldCovers, hostOf } from "../rules/spec-patterns.ts";
import { commandHolds } from "./command-condition.ts";

/** A hook's `if`: one permission rule, used as a filter. */
export interface Condition {
  readonly text: string;
  readonly meaning: RuleMeaning;
}

type ConditionContext = Pick<JudgeContext, "cwd" | "home" | "projectRoot"> & { readonly names?: ToolNames };

/** Compiles a condition. `invalid` is the reason why it can never hold. */
export function compileCondition(text: string, names: ToolNames = {}): Condition | { readonly invalid: string } {
  // Compiled as an ask rule: a condition allows nothing, so it cannot be too wide.
  const read = readRule(text, "ask", names);
  return isInvalid(read) ? { invalid: read.invalid } : { text: read.rule.text, meaning: read.meaning };
}

/** Whether a call meets the condition. In doubt it does, because a guard must see every call that it may have to stop. */
export function conditionHolds(
  { meaning }: Condition,
  call: { readonly tool: string; readonly input: unknown },
  context: ConditionContext,
): boolean {
  const tool = currentName(call.tool, context.names);
  // Unlike in a rule of the lists, `mcp__server` alone does not mean all tools of the server. It never holds.
  if (!fitsPieces(meaning.tools.name, tool)) return false;
  return targetHolds(meaning.target, isObject(call.input) ? call.input : {}, context);
}

function targetHolds(target: Target, input: Readonly<Record<string, unknown>>, context: ConditionContext): boolean {
  switch (target.kind) {
    case "all":
      return true;
    case "command": {
      const { command } = input;
      return typeof command !== "string" || commandHolds(target.pattern, command, context);
    }
    case "path":
      return pathHolds(target.pattern, pathOf(input), context);
    case "domain": {
      const host = hostOf(input["url"]);
      return host === undefined || coversHost(target.pattern, host);
    }
    case "agent":
      return couldStartAgent(target.type, input);
    case "skill":
      return couldStartSkill(target.pattern, input);
    case "field":
      return fieldCovers(target, input);
  }
}

/**
 * Wider than a rule of the lists, as measured in the client. Case is ignored. A pattern without an anchor holds anywhere. `./x` holds
 * at any depth below the working directory or the project. `/x` is relative to the project, its worktree or the file system.
 */
function pathHolds(pattern: PathPattern, inputPath: string | undefined, context: ConditionContext): boolean {
  if (inputPath === undefined) return true;
  const { cwd, home, projectRoot } = context;
  const paths = [posix.resolve(cwd, inputPath)];
  if (inputPath === "~" || inputPath.startsWith("~/")) paths.push(posix.resolve(home + inputPath.slice(1)));
  // A session that has changed its directory still guards the project's files.
  const below = pattern.floats ? ["/"] : [cwd, projectRoot];
  const anchors = { root: ["/"], home: [home], source: [projectRoot, "/"], cwd: below }[pattern.anchor];
  const worktrees = (path: string) => (pattern.anchor === "source" ? worktreeAround(path, projectRoot) : []);
  return paths.some((path) =>
    [...anchors, ...worktrees(path)].some((anchor) => {
      const names = segmentsBelow(foldName(path), foldName(posix.resolve(anchor)));
      if (names === undefined) return false;
      const depths = pattern.anchor === "cwd" && !pattern.floats ? names.keys() : [0];
      return [0, ...depths].some((depth) =>
        coversPath(pattern, names.slice(depth), { anyDepth: true, folded: true, folderItself: true }),
      );
    }),
  );
}

function pathOf(input: Readonly<Record<string, unknown>>): string | undefined {
  const value = input["file_path"] ?? input["path"] ?? input["notebook_path"] ?? ".";
  // The client trims paths.
  return typeof value === "string" ? value.trim() : undefined;
}
