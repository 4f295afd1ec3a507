import type { Finished } from "../../exec/index.ts";
import type { Message } from "./child-stream.ts";
import type { SessionResult } from "./session-result.ts";
import type { ToldPayload } from "./told.ts";

type Fate = Pick<SessionResult, "ended" | "exitCode" | "error">;

/** How a run ended: by our limit, by a request, by a limit of the agent's, by an error, or with an answer. */
export function fateOf(finished: Finished, result: Message | undefined, told: readonly ToldPayload[]): Fate {
  const { ended } = finished;
  switch (ended.by) {
    case "timeout":
      return { ended: "timeout", exitCode: null, error: `no answer within ${ended.afterMs / 1_000} s` };
    case "cancelled":
      return { ended: "interrupted", exitCode: null, error: "interrupted" };
    case "not-started":
      return { ended: "error", exitCode: null, error: ended.why };
    case "signal":
      return { ended: "error", exitCode: null, error: `the agent was killed by ${ended.signal}` };
    case "exit":
      return ownFate(ended.code, finished, result, told);
  }
}

function ownFate(code: number, finished: Finished, result: Message | undefined, told: readonly ToldPayload[]): Fate {
  const subtype = result?.["subtype"];
  if (typeof subtype === "string" && subtype.startsWith("error_max_")) {
    return { ended: "limit", exitCode: code, error: `a limit was reached (${subtype})` };
  }
  if (code === 130) return { ended: "interrupted", exitCode: code, error: "interrupted" };
  if (code === 0 && result?.["is_error"] !== true) return { ended: "answered", exitCode: code };
  return { ended: "error", exitCode: code, error: whatFailed(code, finished, result, told) };
}

function whatFailed(
  code: number,
  { stdout, stderr }: Finished,
  result: Message | undefined,
  told: readonly ToldPayload[],
): string {
  const own = result?.["result"];
  if (typeof own === "string" && own !== "") return own;
  const failure = told.findLast((payload) => payload["hook_event_name"] === "StopFailure");
  if (failure !== undefined) return [failure["error"], failure["error_details"]].filter(Boolean).join(": ");
  const words = (stderr.text.trim() || stdout.text.trim()).slice(-2_000);
  return words === "" ? `the agent ended with ${code} and without a word` : words;
}
