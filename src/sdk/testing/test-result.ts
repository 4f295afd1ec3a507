import { AssertionError } from "node:assert";
import { isDeepStrictEqual } from "node:util";
import {
  defined,
  type EventRow,
  eventRow,
  isEventName,
  type Outcome,
  type OutcomeOutput,
  type ToolInput,
} from "../../protocol/internal.ts";
import type { AppWarning } from "../answer/accept-answers.ts";
import type { FoldedAnswer } from "../answer/fold-answers.ts";
import type { SettledEvent } from "../app/app-runtime.ts";
import type { HandlerTrace } from "../log/log-record.ts";

/** The app's answer to one event: the fields of an outcome, the answer as a process would give it, and expectations. */
export interface TestResult extends Omit<Outcome, "runs" | "skipped" | "warnings"> {
  /** Of the app and of the event. */
  readonly warnings: readonly AppWarning[];
  /** The JSON on stdout, parsed. */
  readonly wire?: Readonly<Record<string, unknown>>;
  /** What `run` would print. */
  readonly stdout: string;
  /** What `run` would print. */
  readonly stderr: string;
  /** What `run` would exit with. */
  readonly exitCode: number;
  /** Each handler that ran. */
  readonly trace: readonly HandlerTrace[];
  /**
   * Fails when the denial comes from a failure under `onFailure: "block"`, because then the guard is broken. To expect a failure, pass its
   * text: `expectDenied("failed: boom")`. The name of the handler alone is not enough.
   */
  expectDenied(reason?: Text): TestResult;
  /** The call is allowed. */
  expectAllowed(reason?: Text): TestResult;
  /** The user is asked. */
  expectAsked(reason?: Text): TestResult;
  /** Treats failures as `expectDenied` does. */
  expectBlocked(reason?: Text): TestResult;
  /** The agent is stopped. */
  expectHalted(reason?: Text): TestResult;
  /** Holds when no handler answered or failed. */
  expectNoOpinion(): TestResult;
  /** The input is replaced by this one. */
  expectInput(input: ToolInput): TestResult;
  /** The model gets this text. */
  expectContext(text: Text): TestResult;
}

type Text = string | RegExp;

export function testResult({ folded, dispose: _dispose, ...answer }: SettledEvent): TestResult {
  const { refusal, halt, decision, approval, contexts } = folded;
  // An event that the catalog does not have has no row; the app may still answer it.
  const row = isEventName(answer.event) ? eventRow(answer.event) : undefined;
  const isRefused = refusal !== undefined || (halt !== undefined && row?.onStop === "after-tool");
  const continues = row?.special.endsTurn === true && contexts.length > 0 && halt === undefined;
  const approved = approval ? "allow" : (decision?.kind ?? "none");
  return withExpectations({
    ...answer,
    decision: isRefused ? "deny" : approved,
    blocked: (isRefused && row?.blocks != null) || continues || (halt !== undefined && row?.onStop === "refuse"),
    ...defined({ reason: refusal?.reason ?? halt ?? decision?.reason, stopReason: halt }),
    ...defined({ updatedInput: folded.input ?? approval?.input }),
    continue: halt === undefined,
    additionalContext: contexts,
    systemMessages: folded.messages,
    output: outputOf(folded, row),
  });
}

type Facts = Omit<TestResult, `expect${string}`>;

function withExpectations(facts: Facts): TestResult {
  const claim = (holds: boolean, by: keyof TestResult, wanted: string, actual?: unknown, expected?: unknown) => {
    if (holds) return result;
    // The stack begins in the author's test, not in here.
    const stackStartFn = result[by] as () => void;
    const message = `${wanted}\n${describeRun(facts)}`;
    throw new AssertionError({ message, stackStartFn, operator: by, actual, expected });
  };
  const fits = (wanted: Text | undefined, texts: readonly string[]) =>
    wanted === undefined ||
    texts.some((text) => (wanted instanceof RegExp ? text.search(wanted) >= 0 : text.includes(wanted)));
  const because = (reason: Text | undefined) => (reason === undefined ? "" : ` because of ${String(reason)}`);
  /** What must hold, and for which reason: the first of them that does not is what the test runner compares. */
  const decided = (by: keyof TestResult, holds: boolean, expected: string, reason: Text | undefined) => {
    const differs = holds ? ([facts.reason, reason] as const) : ([facts.decision, expected] as const);
    const reasons = facts.reason === undefined ? [] : [facts.reason];
    const wanted = `expected ${facts.event} to ${expected}${because(reason)}`;
    return claim(holds && fits(reason, reasons), by, wanted, ...differs);
  };
  /** A refusal by a handler's answer. A refusal by a failure counts only if the test names the failure. */
  const refused = (
    by: "expectDenied" | "expectBlocked",
    holds: boolean,
    expected: string,
    reason: Text | undefined,
  ) => {
    const failure = holds && fits(reason, [facts.reason ?? ""]) ? failureBehind(facts) : undefined;
    if (failure === undefined || reachesBeyond(reason, failure)) return decided(by, holds, expected, reason);
    const { text, who } = failure;
    const advice = `To expect a failure, pass its text: ${by}(${JSON.stringify(text.slice(who.length).trim())}).`;
    const message = `expected ${facts.event} to ${expected} by an answer, but this is a failure: ${text}\n${advice}`;
    return claim(false, by, message, text, reason);
  };
  const { decision, blocked, updatedInput, additionalContext: contexts } = facts;
  const result: TestResult = {
    ...facts,
    expectDenied: (reason) => refused("expectDenied", decision === "deny", "be denied", reason),
    expectAllowed: (reason) => decided("expectAllowed", decision === "allow", "be allowed", reason),
    expectAsked: (reason) => decided("expectAsked", decision === "ask", "be asked about", reason),
    expectBlocked: (reason) => refused("expectBlocked", blocked || decision === "deny", "be blocked", reason),
    expectHalted: (reason) => decided("expectHalted", !facts.continue, "stop the run", reason),
    expectNoOpinion() {
      // A failure is reported to the user once, so later there is no output although a handler fails.
      const isSilent =
        facts.stdout === "" && facts.exitCode === 0 && !facts.trace.some(({ error }) => error !== undefined);
      return claim(isSilent, "expectNoOpinion", `expected no opinion about ${facts.event}`);
    },
    expectInput(input) {
      const same = isDeepStrictEqual(updatedInput, input);
      return claim(same, "expectInput", `expected the input to become ${JSON.stringify(input)}`, updatedInput, input);
    },
    expectContext: (text) =>
      claim(fits(text, contexts), "expectContext", `expected a context with ${String(text)}`, contexts, text),
  };
  return result;
}

/** A failure that refused the event, by the failure mode. */
interface Failure {
  readonly text: string;
  /** What failed: the beginning of the text. */
  readonly who: string;
}

/** Undefined when the refusal is an answer of a handler or a middleware. */
function failureBehind({ reason, trace, warnings }: Facts): Failure | undefined {
  const failed = [
    ...trace.filter(({ error }) => error !== undefined).map(({ name, error }) => ({ who: name, error })),
    ...warnings
      .filter(({ handler }) => handler === "middleware")
      .map(() => ({ who: "The app's middleware", error: "" })),
  ];
  const found = failed.find(({ who, error }) => reason?.startsWith(`${who} failed: ${error}`));
  const isPayload = warnings.some(({ code, message }) => code === "app-failed" && message === reason);
  if (reason === undefined || (found === undefined && !isPayload)) return undefined;
  return { text: reason, who: found?.who ?? "" };
}

/** Whether the expected text matches more of a failure than the name of what failed. */
function reachesBeyond(wanted: Text | undefined, { text, who }: Failure): boolean {
  if (wanted === undefined) return false;
  if (typeof wanted === "string") return text.lastIndexOf(wanted) + wanted.length > who.length;
  const match = new RegExp(wanted.source, wanted.flags.replace(/[gy]/g, "")).exec(text);
  return match !== null && match.index + match[0].length > who.length;
}

/** What happened, for the message of a failed expectation. */
function describeRun(facts: Facts): string {
  const handlers = facts.trace.map(
    ({ name, outcome, answers, error, ms }) =>
      `  ${name}: ${outcome}${answers?.length ? ` ${answers.join(", ")}` : ""}${error ? ` (${error})` : ""}, ${ms.toFixed(1)} ms`,
  );
  const answer = facts.stdout.trimEnd() || `no output, exit ${facts.exitCode}`;
  return ["handlers:", ...(handlers.length > 0 ? handlers : ["  none is meant for it"]), `answer: ${answer}`].join(
    "\n",
  );
}

function outputOf(folded: FoldedAnswer, row: EventRow | undefined): OutcomeOutput {
  const { refusal, contexts } = folded;
  return {
    ...(row?.answers.includes("decision") ? permissionOf(folded) : {}),
    ...(row?.onText === "instructions" && contexts.length > 0 ? { customInstructions: contexts.join("\n\n") } : {}),
    ...folded.fields,
    ...(refusal?.hidePrompt && row?.answers.includes("suppressOriginalPrompt") ? { suppressOriginalPrompt: true } : {}),
    ...(folded.output ? { updatedToolOutput: folded.output.value } : {}),
    ...defined({ worktreePath: folded.worktree }),
    ...(refusal && row?.answers.includes("action") ? { action: "decline" } : folded.elicit),
  };
}

function permissionOf({ refusal, approval }: FoldedAnswer): Pick<OutcomeOutput, "permission"> {
  if (refusal) {
    const interrupt = refusal.interrupt ? { interrupt: true } : {};
    return { permission: { behavior: "deny", message: refusal.reason, ...interrupt } };
  }
  if (!approval) return {};
  return { permission: { behavior: "allow", ...defined({ updatedPermissions: approval.rules }) } };
}
