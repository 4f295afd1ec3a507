export { combine } from "./combine.ts";
export { compileCondition, conditionHolds, conditionMiss } from "./condition/condition.ts";
export { judge } from "./judge/judge.ts";
export type { JudgeContext } from "./judge/judge-context.ts";
export type { JudgedPart, Judgement } from "./judge/judgement.ts";
export { realFs, resolveInside } from "./paths/path-fs.ts";
export { compileRules, type Policy, type RuleRef } from "./policy.ts";
export {
  type Mode,
  onlyManagedGrants,
  type RuleLayer,
  type RuleScope,
  type RuleWarning,
  readMode,
  ruleLayerOf,
} from "./rule-layer.ts";
export { splitRules } from "./rules/rule-list.ts";
export { analyseShell, type ShellAnalysis } from "./shell/analyse.ts";
export type { CommandPart, FilePart, ShellPart } from "./shell/shell-part.ts";
export { applyUpdates, checkUpdates } from "./updates.ts";
