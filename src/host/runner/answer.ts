import { type Call, finalTextAtStop } from "../../sessions/index.ts";
import type { Message } from "./child-stream.ts";
import type { SessionResult } from "./session-result.ts";
import type { ToldPayload } from "./told.ts";

export interface AnswerSources {
  readonly transcript: string | undefined;
  /** The main conversation's answers of this run. */
  readonly calls: readonly Call[];
  readonly told: readonly ToldPayload[];
  readonly result: Message | undefined;
  /** What the child's stream has shown so far. */
  readonly texts: readonly string[];
}

type Answer = Pick<SessionResult, "answer" | "answerSource">;

/** The transcript knows best, but its last line may come late; then what the Stop hook was told, then the child's own word. */
export async function answerOf({ transcript, calls, told, result, texts }: AnswerSources): Promise<Answer> {
  const stop = told.findLast((payload) => payload["hook_event_name"] === "Stop");
  const said = stop?.["last_assistant_message"];
  if (transcript !== undefined && stop !== undefined) {
    // The agent has exited, so its transcript is complete; the pauses only cover a slow disk.
    const { text, from } = await finalTextAtStop(
      { transcript_path: transcript, ...(typeof said === "string" ? { last_assistant_message: said } : {}) },
      { attempts: 3, pauseMs: 25 },
    );
    if (from !== "none") return { answer: text, answerSource: from };
  }
  const written = calls.map(textOf).findLast((text) => text !== "");
  if (written !== undefined) return { answer: written, answerSource: "transcript" };
  if (typeof said === "string" && said !== "") return { answer: said, answerSource: "payload" };
  const own = result?.["is_error"] === true ? undefined : result?.["result"];
  const last = typeof own === "string" && own !== "" ? own : texts.at(-1);
  return last === undefined ? { answer: "", answerSource: "none" } : { answer: last, answerSource: "result" };
}

function textOf({ content }: Call): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
