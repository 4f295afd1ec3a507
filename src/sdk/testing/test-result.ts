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
import type { SettledEvent } from "../run/dispatch-event.ts";
import type { HandlerTrace } from "../run/handler-chain.ts";

/** The app's answer to one event: the fields of an outcome, the answer as a process would give it, and expectations. */
export interface TestResult extends Omit<Outcome, "runs" | "skipped" | "warnings"> {
  readonly warnings: readonly AppWarning[];
  readonly wire?: Readonly<Record<string, unknown>>;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly trace: readonly HandlerTrace[];
  expectDenied(reason?: Text): TestResult;
  expectAllowed(reason?: Text): TestResult;
  expectAsked(reason?: Text): TestResult;
  expectBlocked(reason?: Text): TestResult;
  expectHalted(reason?: Text): TestResult;
  expectNoOpinion(): TestResult;
  expectInput(input: ToolInput): TestResult;
  expectContext(text: Text): TestResult;
}

type Text = string | RegExp;

export function testResult({ folded, dispose: _dispose, ...answer }: SettledEvent): TestResult {
  const { refusal, halt, decision, approval, contexts } = folded;
  const row = rowFor(answer.event);
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
  const { decision, blocked, updatedInput, additionalContext: contexts } = facts;
  const result: TestResult = {
    ...facts,
    expectDenied: (reason) => decided("expectDenied", decision === "deny", "be denied", reason),
    expectAllowed: (reason) => decided("expectAllowed", decision === "allow", "be allowed", reason),
    expectAsked: (reason) => decided("expectAsked", decision === "ask", "be asked about", reason),
    expectBlocked: (reason) => decided("expectBlocked", blocked || decision === "deny", "be blocked", reason),
    expectHalted: (reason) => decided("expectHalted", !facts.continue, "stop the run", reason),
    expectNoOpinion: () =>
      claim(facts.stdout === "" && facts.exitCode === 0, "expectNoOpinion", `expected no opinion about ${facts.event}`),
    expectInput(input) {
      const same = isDeepStrictEqual(updatedInput, input);
      return claim(same, "expectInput", `expected the input to become ${JSON.stringify(input)}`, updatedInput, input);
    },
    expectContext: (text) =>
      claim(fits(text, contexts), "expectContext", `expected a context with ${String(text)}`, contexts, text),
  };
  return result;
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

/** Undefined for an event that the catalog does not have; the app may still answer it. */
function rowFor(event: string): EventRow | undefined {
  return isEventName(event) ? eventRow(event) : undefined;
}
