import type { JudgeContext } from "../../permissions/internal.ts";
import type { ToolInput } from "../../protocol/internal.ts";
import type { ToolAliases } from "./matcher.ts";

/** The folders that paths in a condition are relative to. */
type ConditionFolders = Pick<JudgeContext, "cwd" | "home" | "projectRoot">;

/** A compiled `if` of a hook. Returns what a tool call has instead, for a message; undefined when the condition holds. */
export type HookCondition = (tool: string, input: ToolInput, folders: ConditionFolders) => string | undefined;

export type CompileCondition = (text: string, aliases: ToolAliases) => HookCondition | { readonly invalid: string };

let loaded: CompileCondition | undefined;

/** The compiler of conditions, if it is loaded. It is as large as the rest of the engine and few hooks need it. */
export function conditionCompiler(): CompileCondition | undefined {
  return loaded;
}

export async function loadConditionCompiler(): Promise<CompileCondition> {
  const { compileCondition, conditionMiss } = await import("../../permissions/internal.ts");
  loaded ??= (text, aliases) => {
    const condition = compileCondition(text, { aliases });
    if ("invalid" in condition) return condition;
    return (tool, input, folders) => conditionMiss(condition, { tool, input }, { ...folders, names: { aliases } });
  };
  return loaded;
}
