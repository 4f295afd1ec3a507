import { posix } from "node:path";
import { fitsPieces, isObject, showValue } from "../../protocol/internal.ts";
import type { JudgeContext } from "../judge/judge-context.ts";
import { foldName, segmentsBelow, worktreeAround } from "../paths/resolve-path.ts";
import { coversPath, type PathPattern } from "../rules/path-pattern.ts";
import { isInvalid } from "../rules/rule.ts";
import { type RuleMeaning, readRule, type Target } from "../rules/rule-meaning.ts";
import { currentName, type ToolNames } from "../rules/rule-tools.ts";
import {
  agentType,
  couldStartAgent,
  couldStartSkill,
  coversHost,
  fieldCovers,
  hostOf,
  skillText,
} from "../rules/spec-patterns.ts";
import type { ShellAnalysis } from "../shell/analyse.ts";
import { displayText } from "../shell/command-text.ts";
import { analyseForCondition, commandHolds } from "./command-condition.ts";

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

interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
}

/** Whether a call meets the condition. In doubt it does, because a guard must see every call that it may have to stop. */
export function conditionHolds(condition: Condition, call: ToolCall, context: ConditionContext): boolean {
  return conditionMiss(condition, call, context) === undefined;
}

/** What a call has instead of what the condition names, for a message; undefined when the call meets the condition. */
export function conditionMiss({ meaning }: Condition, call: ToolCall, context: ConditionContext): string | undefined {
  const tool = currentName(call.tool, context.names);
  // Unlike in a rule of the lists, `mcp__server` alone does not mean all tools of the server. It never holds.
  if (!fitsPieces(meaning.tools.name, tool)) return `the tool ${showValue(tool)}`;
  return targetMiss(meaning.target, isObject(call.input) ? call.input : {}, context);
}

function targetMiss(
  target: Target,
  input: Readonly<Record<string, unknown>>,
  context: ConditionContext,
): string | undefined {
  switch (target.kind) {
    case "all":
      return undefined;
    case "command": {
      const { command } = input;
      if (typeof command !== "string") return undefined;
      const analysis = analyseForCondition(command, context);
      return commandHolds(target.pattern, command, analysis, context) ? undefined : commandsIn(analysis);
    }
    case "path": {
      const path = pathOf(input);
      return pathHolds(target.pattern, path, context) ? undefined : `the path ${showValue(path)}`;
    }
    case "domain": {
      const host = hostOf(input["url"]);
      return host === undefined || coversHost(target.pattern, host) ? undefined : `the host ${showValue(host)}`;
    }
    case "agent":
      return couldStartAgent(target.type, input) ? undefined : `the agent ${showValue(agentType(input))}`;
    case "skill":
      return couldStartSkill(target.pattern, input) ? undefined : `the skill ${showValue(skillText(input))}`;
    case "field":
      return fieldCovers(target, input) ? undefined : `${target.field} ${showValue(input[target.field])}`;
  }
}

function commandsIn({ parts }: ShellAnalysis): string {
  const commands = parts.filter((part) => part.kind === "command");
  if (commands.length === 0) return "a text without commands";
  const shown = commands.slice(0, mostShown).map((part) => showValue(displayText(part)));
  const more = commands.length > mostShown ? ` and ${commands.length - mostShown} more` : "";
  return `${shown.join(", ")}${more}`;
}

const mostShown = 5;

/**
 * Wider than a rule of the lists, as measured in Claude Code. Case is ignored. A pattern without an anchor holds anywhere. `./x` holds
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
  // Claude Code trims paths.
  return typeof value === "string" ? value.trim() : undefined;
}
