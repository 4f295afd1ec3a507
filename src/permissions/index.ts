/** Entry point hookline/permissions: judges tool calls by permission rules, without an agent and without starting anything. */
export { type Combined, combine, type HookDecision } from "./combine.ts";
export { judge } from "./judge/judge.ts";
export type { JudgeContext } from "./judge/judge-context.ts";
export type { DecidedBy, JudgedPart, JudgedPath, Judgement, PermissionDecision, Stance } from "./judge/judgement.ts";
export { type InsideContext, resolveInside } from "./paths/path-fs.ts";
export type { PathCase, PathEntry, PathFs, PathStat } from "./paths/resolve-path.ts";
export { compileRules, type Policy, type PolicyRule, type RuleRef, type WorkingDirectoryLimit } from "./policy.ts";
export type { Mode, RuleLayer, RuleScope, RuleWarning, RuleWarningCode } from "./rule-layer.ts";
export type { ToolKind, ToolNames } from "./rules/rule-tools.ts";
export { analyseShell, type ShellAnalysis, type ShellContext } from "./shell/analyse.ts";
export type {
  CommandPart,
  FilePart,
  Places,
  ShellPart,
  ShellProblem,
  ShellProblemCode,
  ShellWord,
  StatePart,
  TextRange,
} from "./shell/shell-part.ts";
export { applyUpdates, checkUpdates, type UpdateSource } from "./updates.ts";
