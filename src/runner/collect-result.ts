import type { FinishedProcess } from "../exec/internal.ts";
import { defined, groupBy, textField } from "../protocol/internal.ts";
import { finalTextAtStop, type ModelCall, textsIn } from "../sessions/internal.ts";
import type { StreamMessage } from "./child-agent.ts";
import type { HookPayload } from "./hook-mailbox.ts";
import { costOfCalls, countDifferences, type RunCalls, unknownSpending } from "./run-transcript.ts";
import type { ResumeCommands, SessionResult, SessionWarning } from "./session-result.ts";

/** Everything that is known of a run when the child has exited. */
export interface RunFacts {
  readonly id: string;
  readonly finished: FinishedProcess;
  readonly transcript: string | undefined;
  /** The model calls of this run. */
  readonly calls: RunCalls;
  /** The last result line of the agent. */
  readonly result: StreamMessage | undefined;
  /** Text of the assistant messages in the child's stream. */
  readonly texts: readonly string[];
  readonly payloads: readonly HookPayload[];
  /** Warnings from before the start. */
  readonly warnings: readonly SessionWarning[];
  /** The commands that continue the session; undefined when no session began. */
  readonly resumeCommands: ResumeCommands | undefined;
}

/** The result of a run, put together from what is known of it. */
export async function collectResult(facts: RunFacts): Promise<SessionResult> {
  const { transcript, calls, finished, result, resumeCommands } = facts;
  const spent = transcript === undefined ? unknownSpending : costOfCalls(calls.all);
  const differences = countDifferences(spent, result);
  const isExplained = differences.length > 0 && countDifferences(costOfCalls(await calls.whole()), result).length === 0;
  const cost = result?.["total_cost_usd"];
  const turns = result?.["num_turns"];
  return {
    ...(await findAnswer(facts)),
    sessionId: facts.id,
    ...defined({ transcriptPath: transcript }),
    ...exitReasonOf(facts),
    turns: typeof turns === "number" ? turns : calls.main.length,
    durationMs: Math.round(finished.durationMs),
    ...spent,
    ...defined({ agentReportedCostUsd: typeof cost === "number" ? cost : undefined }),
    toolCalls: toolCounts(calls.all),
    denials: denialsOf(result),
    warnings: [...facts.warnings, ...missingParts(facts), ...(isExplained ? [] : differences)],
    ...defined({ resumeCommands, agentResult: result }),
  };
}

type ExitReason = Pick<SessionResult, "ended" | "exitCode" | "error">;

/** How a run ended: by our limit, by a request, by a limit of the agent's, by an error, or with an answer. */
function exitReasonOf(facts: RunFacts): ExitReason {
  const { ended } = facts.finished;
  switch (ended.by) {
    case "timeout":
      return { ended: "timeout", exitCode: null, error: `timed out after ${ended.afterMs / 1_000} s` };
    case "cancelled":
      return { ended: "interrupted", exitCode: null, error: "interrupted" };
    case "not-started":
      return { ended: "error", exitCode: null, error: notStartedReason(ended.why) };
    case "signal":
      return { ended: "error", exitCode: null, error: `the agent was killed by ${ended.signal}` };
    case "exit":
      return exitReasonFromCode(ended.code, facts);
  }
}

function notStartedReason(why: string): string {
  if (why !== "claude was not found") return why;
  return `${why}. Install Claude Code, set HOOKLINE_CLAUDE to its path, or use the agent of Hookline: --agent hookline`;
}

/** An answer needs all three: exit code 0, a result line that reports success, and a session. */
function exitReasonFromCode(code: number, facts: RunFacts): ExitReason {
  const { result, resumeCommands } = facts;
  const subtype = result?.["subtype"];
  if (typeof subtype === "string" && subtype.startsWith("error_max_")) {
    return { ended: "limit", exitCode: code, error: `a limit was reached (${subtype})` };
  }
  if (code === 130) return { ended: "interrupted", exitCode: code, error: "interrupted" };
  const succeeded = subtype === "success" && result?.["is_error"] !== true;
  if (code === 0 && succeeded && resumeCommands !== undefined) return { ended: "answered", exitCode: code };
  return { ended: "error", exitCode: code, error: whatFailed(code, succeeded, facts) };
}

function whatFailed(code: number, succeeded: boolean, { finished, result, payloads }: RunFacts): string {
  const { stdout, stderr } = finished;
  // The end of what the agent printed outside its stream.
  const printed = (stderr.text.trim() || stdout.text.trim()).slice(-2_000);
  const withOutput = (what: string) => (printed === "" ? what : `${what}. It printed: ${printed}`);
  if (succeeded && code === 0) return withOutput("the agent printed a result line but began no session");
  if (succeeded) return withOutput(`the agent reported success and then exited with code ${code}`);
  if (result === undefined && code === 0) return withOutput("the agent exited with code 0 but printed no result line");
  const own = result?.["result"];
  if (typeof own === "string" && own !== "") return own;
  const errors = result?.["errors"];
  if (Array.isArray(errors) && errors.length > 0) return errors.map(String).join("; ");
  const failure = payloads.findLast((payload) => payload["hook_event_name"] === "StopFailure");
  if (failure !== undefined) return [failure["error"], failure["error_details"]].filter(Boolean).join(": ");
  if (code !== 0) return printed || `the agent exited with code ${code} and no output`;
  return withOutput("the agent's result line reports neither success nor an error");
}

/** From the transcript; if its last line is late, from the payload of the Stop hook; else from the child's own result. */
async function findAnswer(facts: RunFacts): Promise<Pick<SessionResult, "answer" | "answerSource">> {
  const { transcript, calls, payloads, result, texts } = facts;
  const stop = payloads.findLast((payload) => payload["hook_event_name"] === "Stop");
  const stopText = textField(stop, "last_assistant_message");
  if (transcript !== undefined && stop !== undefined) {
    // The agent has exited, so its transcript is complete; the pauses only cover a slow disk.
    const { text, from } = await finalTextAtStop(
      { transcript_path: transcript, ...defined({ last_assistant_message: stopText }) },
      { attempts: 3, pauseMs: 25 },
    );
    if (from !== "none") return { answer: text, answerSource: from };
  }
  const written = calls.main.map(({ content }) => textsIn(content).join("\n")).findLast((text) => text !== "");
  if (written !== undefined) return { answer: written, answerSource: "transcript" };
  if (stopText) return { answer: stopText, answerSource: "payload" };
  const own = result?.["is_error"] === true ? undefined : result?.["result"];
  const answer = typeof own === "string" && own !== "" ? own : texts.at(-1);
  return answer === undefined ? { answer: "", answerSource: "none" } : { answer, answerSource: "result" };
}

function missingParts({ finished: { ended, leaked }, transcript, payloads }: RunFacts): readonly SessionWarning[] {
  if (ended.by === "not-started") return [];
  const faults = [
    [transcript === undefined, "no-transcript", "No transcript of this session was found; its tokens are unknown."],
    [payloads.length === 0, "hook-not-heard", "No hook of the run reported; hooks may be disabled."],
    [leaked.length > 0, "possible-leak", "Processes of the agent may still be running."],
  ] as const;
  return faults.flatMap(([isFound, code, message]) => (isFound ? [{ code, message }] : []));
}

function toolCounts(calls: readonly ModelCall[]): SessionResult["toolCalls"] {
  const blocks = calls.flatMap(({ content }) => content);
  const names = blocks.flatMap((block) => (block.type === "tool_use" ? [block.name] : []));
  return [...groupBy(names, (name) => name)].map(([name, { length: count }]) => ({ name, count }));
}

function denialsOf(result: StreamMessage | undefined): SessionResult["denials"] {
  const denials = result?.["permission_denials"];
  if (!Array.isArray(denials)) return [];
  return (denials as readonly StreamMessage[]).map((one) => ({
    tool: String(one["tool_name"]),
    toolUseId: String(one["tool_use_id"]),
    input: one["tool_input"],
  }));
}
