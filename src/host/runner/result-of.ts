import type { Finished } from "../../exec/index.ts";
import type { Call } from "../../sessions/index.ts";
import { answerOf } from "./answer.ts";
import type { ChildStream, Message } from "./child-stream.ts";
import { fateOf } from "./fate.ts";
import type { GoOn, SessionResult, SessionWarning } from "./session-result.ts";
import { differences, type Spent, spentBy, unknownSpending } from "./spent-by.ts";
import type { ToldPayload } from "./told.ts";
import type { NewCalls } from "./transcript-mark.ts";

/** Everything that was seen of a run. */
export interface Seen {
  readonly id: string;
  readonly transcript: string | undefined;
  readonly calls: NewCalls;
  readonly finished: Finished;
  readonly stream: ChildStream;
  readonly told: readonly ToldPayload[];
  /** What is to be told already. */
  readonly warnings: readonly SessionWarning[];
  /** The commands that continue the session, if there is one. */
  readonly goOn: GoOn;
}

/** What a run came to, put together. */
export async function resultOf({
  id,
  transcript,
  calls,
  finished,
  stream,
  told,
  warnings,
  goOn,
}: Seen): Promise<SessionResult> {
  const { result, texts } = stream;
  const answer = await answerOf({ transcript, calls: calls.main, told, result, texts });
  const spent = transcript === undefined ? unknownSpending : spentBy(calls.all);
  const begun = stream.sessionId !== undefined || told.length > 0 || transcript !== undefined;
  const cost = result?.["total_cost_usd"];
  const turns = result?.["num_turns"];
  return {
    ...answer,
    sessionId: id,
    ...(transcript === undefined ? {} : { transcriptPath: transcript }),
    ...fateOf({ finished, result, told, begun }),
    turns: typeof turns === "number" ? turns : calls.main.length,
    durationMs: Math.round(finished.durationMs),
    ...spent,
    ...(typeof cost === "number" ? { agentReportedCostUsd: cost } : {}),
    toolCalls: toolCounts(calls.all),
    denials: denialsOf(result),
    warnings: [...warnings, ...lost(finished, transcript, told), ...(await countedOtherwise(spent, calls, result))],
    ...(begun ? { goOn } : {}),
    ...(result === undefined ? {} : { agentResult: result }),
  };
}

/** An agent may count a resumed session as a whole, as the client does. That is not a difference. */
async function countedOtherwise(
  spent: Spent,
  calls: NewCalls,
  result: Message | undefined,
): Promise<readonly SessionWarning[]> {
  const found = differences(spent, result);
  if (found.length === 0) return found;
  return differences(spentBy(await calls.whole()), result).length === 0 ? [] : found;
}

function lost(
  { ended, leaked }: Finished,
  transcript: string | undefined,
  told: readonly ToldPayload[],
): SessionWarning[] {
  if (ended.by === "not-started") return [];
  return [
    ...(transcript === undefined
      ? [
          {
            code: "no-transcript" as const,
            message: "No transcript of this session was found; its tokens are unknown.",
          },
        ]
      : []),
    ...(told.length === 0
      ? [{ code: "hook-not-heard" as const, message: "No hook of the run was heard; hooks may be switched off." }]
      : []),
    ...(leaked.length > 0
      ? [{ code: "possible-leak" as const, message: "Processes of the agent may still run." }]
      : []),
  ];
}

function toolCounts(calls: readonly Call[]): SessionResult["toolCalls"] {
  const counts = new Map<string, number>();
  for (const { content } of calls) {
    for (const block of content)
      if (block.type === "tool_use") counts.set(block.name, (counts.get(block.name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => ({ name, count }));
}

function denialsOf(result: Message | undefined): SessionResult["denials"] {
  const denials = result?.["permission_denials"];
  if (!Array.isArray(denials)) return [];
  return (denials as readonly Message[]).map((one) => ({
    tool: String(one["tool_name"]),
    toolUseId: String(one["tool_use_id"]),
    input: one["tool_input"],
  }));
}
