import { isDeepStrictEqual } from "node:util";
import type {
  EventRow,
  HookRef,
  Outcome,
  OutcomeOutput,
  PermissionOutput,
  ToolInput,
  Verdict,
  Warning,
} from "../../protocol/internal.ts";
import type { FiringEvent } from "./firing-event.ts";
import type { FinishedRun } from "./record-run.ts";

interface Decided extends Pick<Outcome, "decision"> {
  readonly reason: string | undefined;
}

/** Event-specific answers of all runs together: lists joined, flags or-ed, single values of the last configured. */
export function settleOutput(event: FiringEvent, runs: readonly FinishedRun[]): Pick<Outcome, "output" | "warnings"> {
  const output: Record<string, unknown> = {};
  const warnings: Warning[] = [];
  const givenBy = new Map<string, FinishedRun>();

  for (const run of runs) {
    for (const [key, value] of Object.entries(run.record.answer?.output ?? {})) {
      const before = output[key];
      const combine = combiners[key];
      if (before !== undefined && combine === undefined && !isDeepStrictEqual(before, value)) {
        warnings.push(...conflictOf(key, givenBy.get(key), run));
      }
      output[key] = before === undefined || combine === undefined ? value : combine(before as never, value as never);
      givenBy.set(key, run);
    }
  }
  const combined: OutcomeOutput = output;
  return { output: { ...combined, ...instructions(event, combined.customInstructions) }, warnings };
}

/** Answers that follow from the decision itself, however it was reached: a failed guard gives the same answer. */
export function withDecision(row: EventRow, output: OutcomeOutput, { decision, reason }: Decided): OutcomeOutput {
  const { permission, action, content, ...rest } = output;
  if (row.answers.includes("decision")) {
    if (decision !== "allow" && decision !== "deny") return rest;
    const given = permission?.behavior === decision ? permission : { behavior: decision };
    return { ...rest, permission: { ...given, ...(decision === "deny" && reason ? { message: reason } : {}) } };
  }
  if (!row.answers.includes("action")) return output;
  const taken = decision === "deny" ? "decline" : action;
  return { ...rest, ...(taken ? { action: taken } : {}), ...(taken === "accept" && content ? { content } : {}) };
}

type Combine = (before: never, value: never) => unknown;

const union = (before: readonly string[], value: readonly string[]) => [...new Set([...before, ...value])];
const either = (before: boolean, value: boolean) => before || value;

/** How two values for one key become one. Of any other key the last value counts, with a warning. */
const combiners: Readonly<Partial<Record<string, Combine>>> = {
  watchPaths: union,
  envFiles: union,
  retry: either,
  reloadSkills: either,
  suppressOriginalPrompt: either,
  permission: combinePermission,
  customInstructions: (before: string, value: string) => `${before}\n\n${value}`,
  // From strong to weak.
  action: (...given: readonly string[]) => ["decline", "cancel", "accept"].find((action) => given.includes(action)),
} satisfies Partial<Record<keyof OutcomeOutput, Combine>>;

function combinePermission(a: PermissionOutput, b: PermissionOutput): PermissionOutput {
  const [first, second] = a.behavior === "deny" || b.behavior !== "deny" ? [a, b] : [b, a];
  if (first.behavior !== second.behavior) return first;
  const interrupt = first.interrupt || second.interrupt ? { interrupt: true } : {};
  const updates = [...(first.updatedPermissions ?? []), ...(second.updatedPermissions ?? [])];
  const distinct = updates.filter(
    (update, index) => updates.findIndex((other) => isDeepStrictEqual(other, update)) === index,
  );
  return { ...first, ...interrupt, ...(distinct.length > 0 ? { updatedPermissions: distinct } : {}) };
}

/** Hooks of one chain answer one after another; only hooks that run in parallel can conflict. */
function conflictOf(key: string, before: FinishedRun | undefined, after: FinishedRun): readonly Warning[] {
  if (before === undefined || (after.chain !== null && before.chain === after.chain)) return [];
  const [a, b] = [before.record.hook, after.record.hook];
  const message = `Hooks ${a.name} and ${b.name} gave different values for ${key}; the value from ${b.name} is used.`;
  return [{ code: "output-conflict", message, place: `${a.id}, ${b.id}` }];
}

/** The user's own instructions come first. */
function instructions(
  { row, payload }: FiringEvent,
  added: string | undefined,
): Pick<OutcomeOutput, "customInstructions"> {
  if (row.onText !== "instructions" || added === undefined) return {};
  const own = payload["custom_instructions"];
  return { customInstructions: typeof own === "string" && own !== "" ? `${own}\n\n${added}` : added };
}

interface Rewrite {
  readonly by: HookRef;
  readonly input: ToolInput;
}

export interface SettledInput {
  readonly input?: ToolInput;
  /** Whose input it is. */
  readonly by?: HookRef;
  /** What a conflict means by policy. */
  readonly verdict: Verdict;
  readonly warnings: readonly Warning[];
}

/**
 * The input to use instead, whatever the hooks that gave one decided: the last configured wins. Each that is dropped is named in a
 * warning, and a difference may, by policy, be a verdict of its own.
 */
export function settleInput(runs: readonly FinishedRun[], onConflict: "last" | "ask" | "deny"): SettledInput {
  const rewrites = rewritesOf(runs);
  const last = rewrites.at(-1);
  if (last === undefined) return { verdict: { kind: "none" }, warnings: [] };
  const dropped = rewrites.filter(({ input }) => !isDeepStrictEqual(input, last.input)).map(({ by }) => by);
  if (dropped.length === 0) return { ...last, verdict: { kind: "none" }, warnings: [] };
  const hooks = [...dropped, last.by];
  const reason = `Hooks ${hooks.map(({ name }) => name).join(" and ")} rewrote the input differently`;
  const message = `${reason}; the value from ${last.by.name} is used. Put them into one group with "sequential": true to chain them.`;
  return {
    ...last,
    verdict: onConflict === "last" ? { kind: "none" } : { kind: onConflict, reason },
    warnings: [{ code: "input-conflict", message, place: hooks.map(({ id }) => id).join(", ") }],
  };
}

/** A chain has one rewrite: its last input. */
function rewritesOf(runs: readonly FinishedRun[]): readonly Rewrite[] {
  const found = new Map<string, Rewrite>();
  for (const { record, chain } of runs) {
    const input = record.answer?.input;
    if (input !== undefined) found.set(chain ?? record.hook.id, { by: record.hook, input });
  }
  return [...found.values()];
}
