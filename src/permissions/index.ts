export { type Combined, combine, type HookDecision } from "./combine.ts";
export {
  type Condition,
  type ConditionCall,
  type ConditionContext,
  compileCondition,
  conditionHolds,
} from "./condition/condition.ts";
export { judge } from "./judge/judge.ts";
export type { JudgeContext } from "./judge/judge-context.ts";
export type { DecidedBy, JudgedPart, JudgedPath, Judgement, RuleRef, Stance } from "./judge/judgement.ts";
export { type InsideContext, realFs, resolveInside } from "./paths/path-fs.ts";
export type { PathCase, PathEntry, PathFs, PathStat } from "./paths/resolve-path.ts";
export { compileRules, type Policy, type PolicyRule } from "./policy.ts";
export {
  type Mode,
  type RuleLayer,
  type RuleScope,
  type RuleWarning,
  type RuleWarningCode,
  readMode,
  ruleLayerOf,
  ruleScopes,
  ruleWarningCodes,
} from "./rule-layer.ts";
export type { ToolKind, ToolNames } from "./rules/rule-tools.ts";
export { analyseShell, type ShellAnalysis, type ShellContext } from "./shell/analyse.ts";
export { type ReadOnlyCommand, type ReadOnlyTable, readOnlyCommands } from "./shell/programs/read-only-commands.ts";
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
} from "./shell/shell-part.ts";
export { applyUpdates, checkUpdates, type UpdateSource } from "./updates.ts";
