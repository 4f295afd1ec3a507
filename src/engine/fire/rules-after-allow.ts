import {
  type EventRow,
  isObject,
  messageOf,
  showValue,
  type ToolInput,
  type Verdict,
  type Warning,
} from "../../protocol/internal.ts";
import type { Judge } from "../ports.ts";
import { duration, type Limit, type Waited, waitFor } from "../runners/run-limits.ts";
import type { FiringEvent } from "./firing-event.ts";
import { restriction } from "./read/salvage.ts";

/** Whether rules are asked about what hooks allow on this event. */
export function asksRules(row: EventRow): boolean {
  return row.special.onTool === true && row.decisions.includes("allow");
}

interface RuleObjection {
  readonly verdict: Verdict;
  readonly warnings: readonly Warning[];
  /** The judge failed or returned an invalid result. */
  readonly fault?: true;
}

/**
 * What the rules have against an input that hooks allowed: a hook's allow never beats a deny or ask rule.
 *
 * Where an event answers in the user's place, a question is what it answers; only an input that the hook made itself is asked about
 * again. A judge that throws, takes too long or gives an answer that cannot be read has not allowed anything: the user is asked, and
 * where the event cannot ask, the call is denied.
 */
export async function rulesAgainst(event: FiringEvent, rewritten: ToolInput | undefined): Promise<RuleObjection> {
  const { row, payload, signal, services } = event;
  const judge = await judgeFor(event);
  const { tool_name: tool, tool_input: sent } = payload;
  const limit: Limit = { timeoutMs: services.options.judgeTimeoutMs, signal };
  const waited = await waitFor(
    async (signal) => judge(String(tool), rewritten ?? (sent as ToolInput), payload, signal),
    limit,
  );
  const canAsk = row.decisions.includes("ask");
  const read = readSafely(waited, limit);
  const { verdict, warnings } = read;
  if (verdict.kind !== "ask") return read;
  if (read.fault) return canAsk ? read : { verdict: { kind: "deny", reason: verdict.reason }, warnings };
  return canAsk || rewritten !== undefined ? read : { verdict: { kind: "none" }, warnings };
}

/** The host's own rules, else those of the settings; they are loaded when hooks allow something. */
async function judgeFor({ settings, services: { options } }: FiringEvent): Promise<Judge> {
  return options.ports.judge ?? (await import("../settings/permission-rules.ts")).judgeBySettings(settings, options);
}

/** The answer is the host's own object, and reading a field of it may run code that throws. */
function readSafely(waited: Waited<unknown>, limit: Limit): RuleObjection {
  try {
    return readJudged(waited, limit);
  } catch (error) {
    return unusable(`its answer cannot be read: ${messageOf(error)}`);
  }
}

function readJudged(waited: Waited<unknown>, { timeoutMs }: Limit): RuleObjection {
  if (waited.by === "threw") return unusable(`it threw: ${messageOf(waited.error)}`);
  if (waited.by === "timeout") return unusable(`it timed out after ${duration(timeoutMs)}`);
  if (waited.by === "cancelled") return unusable("it was cancelled");
  if (!isObject(waited.value)) return unusable(`it answered ${showValue(waited.value)}, not an object`);
  const { decision, reason, byRule } = waited.value;
  if (decision === "allow") return nothing;
  const word = restriction(decision);
  if (word === undefined) return unusable(`its decision is ${showValue(decision)}, not "allow", "ask" or "deny"`);
  if (word === decision && byRule === false) return nothing;
  const given = typeof reason === "string" && reason.trim() !== "" ? reason : undefined;
  const faults: string[] = [];
  if (word !== decision) faults.push(`its decision is ${showValue(decision)} and was read as "${word}"`);
  if (given === undefined) faults.push("it has no reason");
  if (byRule !== undefined && typeof byRule !== "boolean")
    faults.push(`byRule is ${showValue(byRule)}, not true or false`);
  return {
    verdict: { kind: word, reason: given ?? `The host's rules answered ${word}.` },
    warnings: faults.map(warningOf),
  };
}

const nothing: RuleObjection = { verdict: { kind: "none" }, warnings: [] };

function unusable(why: string): RuleObjection {
  const reason = `The permission rules could not be evaluated: ${why}.`;
  return { verdict: { kind: "ask", reason }, warnings: [warningOf(why)], fault: true };
}

function warningOf(why: string): Warning {
  return { code: "judge-failed", message: `The judge of permission rules failed: ${why}.` };
}
