export { type Condition, type ConditionContext, compileCondition, holds, type ToolCall } from "./condition.ts";
export type { ToolKind, ToolNames } from "./rules/tools.ts";
export { analyseShell, type ShellAnalysis, type ShellContext } from "./shell/analyse.ts";
export {
  type CommandPart,
  type FilePart,
  type Places,
  type ShellPart,
  type ShellProblem,
  type ShellProblemCode,
  type ShellWord,
  type Span,
  type StatePart,
  shellProblemCodes,
} from "./shell/part.ts";
export { type RuleWarning, type RuleWarningCode, ruleWarningCodes } from "./warning.ts";
