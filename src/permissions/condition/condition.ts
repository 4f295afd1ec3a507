import { posix } from "node:path";
import { fitsPieces } from "../../protocol/internal.ts";
import { foldName, segmentsBelow, worktreeAround } from "../paths/resolve-path.ts";
import { coversPath, type PathPattern } from "../rules/path-pattern.ts";
import { isInvalid, parseRule } from "../rules/rule.ts";
import { type RuleMeaning, ruleMeaning, type Target } from "../rules/rule-meaning.ts";
import { currentName, type ToolNames } from "../rules/rule-tools.ts";
import { couldStartAgent, couldStartSkill, coversHost, hostOf } from "../rules/spec-patterns.ts";
import { commandHolds } from "./command-condition.ts";

/** A hook's `if`: one permission rule read as a filter. */
export interface Condition {
  readonly text: string;
  readonly meaning: RuleMeaning;
}

export interface ConditionCall {
  readonly tool: string;
  readonly input: unknown;
}

export interface ConditionContext {
  readonly cwd: string;
  readonly home: string;
  readonly projectRoot: string;
  /** The shell that Bash commands go to; of any other than bash nothing is analysed. */
  readonly shell?: string;
  readonly names?: ToolNames;
}

/** Reads a condition; `invalid` says why it can never hold. */
export function compileCondition(text: string, names: ToolNames = {}): Condition | { readonly invalid: string } {
  const rule = parseRule(text);
  if (isInvalid(rule)) return { invalid: rule.invalid };
  // What an ask rule may say: a condition grants nothing, so nothing is too wide for it.
  const meaning = ruleMeaning(rule, "ask", names);
  if ("tooWide" in meaning) return { invalid: meaning.tooWide };
  return isInvalid(meaning) ? { invalid: meaning.invalid } : { text: rule.text, meaning };
}

/** Whether a call meets the condition; in doubt it does, for a guard must see what it may have to stop. */
export function conditionHolds({ meaning }: Condition, call: ConditionCall, context: ConditionContext): boolean {
  const tool = currentName(call.tool, context.names);
  // Unlike a rule of the lists, `mcp__server` alone is not the name of a tool and never holds.
  if (!fitsPieces(meaning.tools.name, tool)) return false;
  const input = call.input !== null && typeof call.input === "object" ? (call.input as Record<string, unknown>) : {};
  return targetHolds(meaning.target, input, context);
}

function targetHolds(target: Target, input: Readonly<Record<string, unknown>>, context: ConditionContext): boolean {
  switch (target.kind) {
    case "all":
      return true;
    case "command": {
      const { command } = input;
      const known = typeof command === "string" && (context.shell === undefined || context.shell === "bash");
      return !known || commandHolds(target.pattern, command, context);
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
    case "field": {
      const value = Object.hasOwn(input, target.field) ? input[target.field] : undefined;
      return isScalar(value) && fitsPieces(target.value, String(value));
    }
  }
}

/**
 * Wider than in the lists, as measured: letter case does not count, a pattern without an anchor holds anywhere, `./x` at any depth
 * below the working directory or the project, `/x` is the project's, its worktree's or the file system's.
 */
function pathHolds(pattern: PathPattern, given: string | undefined, context: ConditionContext): boolean {
  if (given === undefined) return true;
  const { cwd, home, projectRoot } = context;
  const paths = [posix.resolve(cwd, given)];
  if (given === "~" || given.startsWith("~/")) paths.push(posix.resolve(home + given.slice(1)));
  // A session that has moved to another folder still means the project's files.
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
  // The client drops blanks around a path.
  return typeof value === "string" ? value.trim() : undefined;
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}
