import type { ToolInput } from "../../protocol/internal.ts";
import type { ToolAliases } from "./matcher.ts";

/** Where a condition's relative paths lie. */
export interface ConditionFolders {
  readonly cwd: string;
  readonly home: string;
  readonly projectRoot: string;
}

/** A hook's `if`, ready to be asked about a call. */
export type HookCondition = (tool: string, input: ToolInput, place: ConditionFolders) => boolean;

export type CompileCondition = (text: string, aliases: ToolAliases) => HookCondition | { readonly invalid: string };

let loaded: CompileCondition | undefined;

/** The reader of conditions if it has been loaded; loading it costs as much as the rest of the engine, and few hooks need it. */
export function conditionReader(): CompileCondition | undefined {
  return loaded;
}

export async function loadConditionReader(): Promise<CompileCondition> {
  const { compileCondition, conditionHolds } = await import("../../permissions/internal.ts");
  loaded ??= (text, aliases) => {
    const condition = compileCondition(text, { aliases });
    if ("invalid" in condition) return condition;
    return (tool, input, place) => conditionHolds(condition, { tool, input }, { ...place, names: { aliases } });
  };
  return loaded;
}
