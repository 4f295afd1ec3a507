export { type Combined, combine, type HookDecision } from "./combine.ts";
export { type Condition, type ConditionContext, compileCondition, holds, type ToolCall } from "./condition.ts";
export type { JudgeContext } from "./judge/desk.ts";
export { judge } from "./judge/judge.ts";
export type { DecidedBy, JudgedPart, JudgedPath, Judgement, RuleRef, Stance } from "./judge/judgement.ts";
export { type RuleLayer, ruleLayerOf, type Scope, scopes } from "./layer.ts";
export { type Mode, readMode } from "./mode.ts";
export type { PathCase } from "./paths/case.ts";
export { type PathEntry, type PathFs, type PathStat, realFs } from "./paths/fs.ts";
export { type InsideContext, resolveInside } from "./paths/inside.ts";
export { compileRules, type Policy, type PolicyRule } from "./policy.ts";
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
export { type ReadOnlyCommand, type ReadOnlyTable, readOnlyCommands } from "./shell/read-only.ts";
export { applyUpdates, checkUpdates, type UpdateSource } from "./updates.ts";
export { type RuleWarning, type RuleWarningCode, ruleWarningCodes } from "./warning.ts";
