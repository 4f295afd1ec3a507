import type { FinishedProcess } from "../exec/internal.ts";
import { defined } from "../protocol/internal.ts";
import { finalTextAtStop, type ModelCall } from "../sessions/internal.ts";
import type { StreamMessage } from "./child-agent.ts";
import { exitReasonOf } from "./exit-reason.ts";
import type { HookPayload } from "./hook-mailbox.ts";
import { costOfCalls, countDifferences, type RunCalls, type RunCost, unknownSpending } from "./run-transcript.ts";
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
  /** The agent named its session, one of its hooks ran, or its transcript was found. */
  readonly begun: boolean;
  /** Warnings from before the start. */
  readonly warnings: readonly SessionWarning[];
  /** The commands that continue the session, if there is one. */
  readonly resumeCommands: ResumeCommands;
}

/** The result of a run, put together from what is known of it. */
export async function collectResult(facts: RunFacts): Promise<SessionResult> {
  const { transcript, calls, finished, result, begun, resumeCommands } = facts;
  const spent = transcript === undefined ? unknownSpending : costOfCalls(calls.all);
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
    ...(typeof cost === "number" ? { agentReportedCostUsd: cost } : {}),
    toolCalls: toolCounts(calls.all),
    denials: denialsOf(result),
    warnings: [...facts.warnings, ...missingParts(facts), ...(await countedOtherwise(spent, calls, result))],
    ...(begun ? { resumeCommands } : {}),
    ...defined({ agentResult: result }),
  };
}

/** The transcript knows best, but its last line may come late; then the payload of the Stop hook, then the child's own result. */
async function findAnswer({
  transcript,
  calls,
  payloads,
  result,
  texts,
}: RunFacts): Promise<Pick<SessionResult, "answer" | "answerSource">> {
  const stop = payloads.findLast((payload) => payload["hook_event_name"] === "Stop");
  const said = stop?.["last_assistant_message"];
  if (transcript !== undefined && stop !== undefined) {
    // The agent has exited, so its transcript is complete; the pauses only cover a slow disk.
    const { text, from } = await finalTextAtStop(
      { transcript_path: transcript, ...(typeof said === "string" ? { last_assistant_message: said } : {}) },
      { attempts: 3, pauseMs: 25 },
    );
    if (from !== "none") return { answer: text, answerSource: from };
  }
  const written = calls.main.map(textOf).findLast((text) => text !== "");
  if (written !== undefined) return { answer: written, answerSource: "transcript" };
  if (typeof said === "string" && said !== "") return { answer: said, answerSource: "payload" };
  const own = result?.["is_error"] === true ? undefined : result?.["result"];
  const last = typeof own === "string" && own !== "" ? own : texts.at(-1);
  return last === undefined ? { answer: "", answerSource: "none" } : { answer: last, answerSource: "result" };
}

function textOf({ content }: ModelCall): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

/** An agent may count a resumed session as a whole, as the client does. That is not a difference. */
async function countedOtherwise(
  spent: RunCost,
  calls: RunCalls,
  result: StreamMessage | undefined,
): Promise<readonly SessionWarning[]> {
  const found = countDifferences(spent, result);
  if (found.length === 0) return found;
  return countDifferences(costOfCalls(await calls.whole()), result).length === 0 ? [] : found;
}

function missingParts({ finished: { ended, leaked }, transcript, payloads }: RunFacts): readonly SessionWarning[] {
  if (ended.by === "not-started") return [];
  const warnings: SessionWarning[] = [];
  if (transcript === undefined)
    warnings.push({
      code: "no-transcript",
      message: "No transcript of this session was found; its tokens are unknown.",
    });
  if (payloads.length === 0)
    warnings.push({ code: "hook-not-heard", message: "No hook of the run was heard; hooks may be switched off." });
  if (leaked.length > 0) warnings.push({ code: "possible-leak", message: "Processes of the agent may still run." });
  return warnings;
}

function toolCounts(calls: readonly ModelCall[]): SessionResult["toolCalls"] {
  const counts = new Map<string, number>();
  for (const { content } of calls) {
    for (const block of content)
      if (block.type === "tool_use") counts.set(block.name, (counts.get(block.name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => ({ name, count }));
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
