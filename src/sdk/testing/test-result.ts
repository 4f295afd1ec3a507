import { AssertionError } from "node:assert";
import { isDeepStrictEqual } from "node:util";
import { type EventRow, eventRow, type OutcomeOutput, type ToolInput } from "../../protocol/internal.ts";
import type { AppWarning } from "../answer/accept-answers.ts";
import type { FoldedAnswer } from "../answer/fold-answers.ts";
import type { SettledEvent } from "../run/dispatch-event.ts";
import type { HandlerTrace } from "../run/handler-chain.ts";

/** What the app said to one event: the fields of an outcome, the answer as a process would give it, and expectations. */
export interface TestResult {
  readonly event: string;
  readonly decision: "none" | "allow" | "ask" | "defer" | "deny";
  readonly blocked: boolean;
  readonly reason?: string;
  readonly continue: boolean;
  readonly stopReason?: string;
  readonly updatedInput?: ToolInput;
  readonly additionalContext: readonly string[];
  readonly systemMessages: readonly string[];
  readonly output: OutcomeOutput;
  readonly warnings: readonly AppWarning[];
  readonly wire: Readonly<Record<string, unknown>> | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  readonly trace: readonly HandlerTrace[];
  expectDenied(reason?: string | RegExp): TestResult;
  expectAllowed(reason?: string | RegExp): TestResult;
  expectAsked(reason?: string | RegExp): TestResult;
  expectBlocked(reason?: string | RegExp): TestResult;
  expectHalted(reason?: string | RegExp): TestResult;
  expectNoOpinion(): TestResult;
  expectInput(input: ToolInput): TestResult;
  expectContext(text: string | RegExp): TestResult;
}

export function testResult(settled: SettledEvent): TestResult {
  const { folded, event } = settled;
  const row = rowFor(event);
  const refused = folded.refusal !== undefined || (folded.halt !== undefined && row?.onStop === "after-tool");
  const goesOn = row?.special.endsTurn === true && folded.contexts.length > 0 && folded.halt === undefined;
  const reason = folded.refusal?.reason ?? folded.halt ?? folded.decision?.reason;
  const input = folded.input ?? folded.approval?.input;
  const facts = {
    event,
    decision: refused ? ("deny" as const) : approved(folded),
    blocked: (refused && row?.blocks != null) || goesOn || (folded.halt !== undefined && row?.onStop === "refuse"),
    ...(reason === undefined ? {} : { reason }),
    continue: folded.halt === undefined,
    ...(folded.halt === undefined ? {} : { stopReason: folded.halt }),
    ...(input === undefined ? {} : { updatedInput: input }),
    additionalContext: folded.contexts,
    systemMessages: folded.messages,
    output: outputOf(folded, row),
    warnings: settled.warnings,
    wire: settled.wire,
    stdout: settled.stdout,
    stderr: settled.stderr,
    exitCode: settled.exitCode,
    trace: settled.trace,
  };
  return withExpectations(facts);
}

type Facts = Omit<TestResult, `expect${string}`>;

function withExpectations(facts: Facts): TestResult {
  const claim = (holds: boolean, by: keyof TestResult, wanted: string, actual?: unknown, expected?: unknown) => {
    if (holds) return result;
    // The stack begins where the author's test stands, not in here.
    const stackStartFn = result[by] as () => void;
    throw new AssertionError({
      message: `${wanted}\n${describeRun(facts)}`,
      stackStartFn,
      operator: by,
      actual,
      expected,
    });
  };
  const fits = (wanted: Text | undefined, texts: readonly string[]) =>
    wanted === undefined ||
    texts.some((text) => (wanted instanceof RegExp ? text.search(wanted) >= 0 : text.includes(wanted)));
  const because = (reason: Text | undefined) => (reason === undefined ? "" : ` because of ${String(reason)}`);
  /** What must hold, and for which reason: the first of them that does not is what the test runner compares. */
  const decided = (by: keyof TestResult, holds: boolean, words: string, reason: Text | undefined) => {
    const differs = holds ? ([facts.reason, reason] as const) : ([facts.decision, words] as const);
    const reasons = facts.reason === undefined ? [] : [facts.reason];
    const wanted = `expected ${facts.event} to ${words}${because(reason)}`;
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

type Text = string | RegExp;

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

function approved(folded: FoldedAnswer): "none" | "allow" | "ask" | "defer" {
  return folded.approval ? "allow" : (folded.decision?.kind ?? "none");
}

function outputOf(folded: FoldedAnswer, row: EventRow | undefined): OutcomeOutput {
  const { refusal, contexts } = folded;
  return {
    ...(row?.answers.includes("decision") ? permissionOf(folded) : {}),
    ...(row?.onText === "instructions" && contexts.length > 0 ? { customInstructions: contexts.join("\n\n") } : {}),
    ...(folded.watch ? { watchPaths: folded.watch } : {}),
    ...(folded.firstMessage === undefined ? {} : { initialUserMessage: folded.firstMessage }),
    ...(folded.title === undefined ? {} : { sessionTitle: folded.title }),
    ...(refusal?.hidePrompt && row?.answers.includes("suppressOriginalPrompt") ? { suppressOriginalPrompt: true } : {}),
    ...(folded.display === undefined ? {} : { displayContent: folded.display }),
    ...(folded.retry ? { retry: true } : {}),
    ...(folded.output ? { updatedToolOutput: folded.output.value } : {}),
    ...(folded.worktree === undefined ? {} : { worktreePath: folded.worktree }),
    ...(refusal && row?.answers.includes("action") ? { action: "decline" } : folded.elicit),
  };
}

function permissionOf({ refusal, approval }: FoldedAnswer): Pick<OutcomeOutput, "permission"> {
  if (refusal) {
    const interrupt = refusal.interrupt ? { interrupt: true } : {};
    return { permission: { behavior: "deny", message: refusal.reason, ...interrupt } };
  }
  if (!approval) return {};
  return { permission: { behavior: "allow", ...(approval.rules ? { updatedPermissions: approval.rules } : {}) } };
}

function rowFor(event: string): EventRow | undefined {
  try {
    return eventRow(event);
  } catch {
    return undefined; // an event the catalog does not have: nothing is known of it, and the app may still answer
  }
}
