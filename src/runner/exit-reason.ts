import type { FinishedProcess } from "../exec/internal.ts";
import type { RunFacts } from "./collect-result.ts";
import type { SessionResult } from "./session-result.ts";

type ExitReason = Pick<SessionResult, "ended" | "exitCode" | "error">;

/** How a run ended: by our limit, by a request, by a limit of the agent's, by an error, or with an answer. */
export function exitReasonOf(facts: RunFacts): ExitReason {
  const { ended } = facts.finished;
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
      return exitReasonFromCode(ended.code, facts);
  }
}

/** An answer needs all three: exit code 0, a result line that reports success, and a session. */
function exitReasonFromCode(code: number, facts: RunFacts): ExitReason {
  const { finished, result, begun } = facts;
  const subtype = result?.["subtype"];
  if (typeof subtype === "string" && subtype.startsWith("error_max_")) {
    return { ended: "limit", exitCode: code, error: `a limit was reached (${subtype})` };
  }
  if (code === 130) return { ended: "interrupted", exitCode: code, error: "interrupted" };
  const succeeded = subtype === "success" && result?.["is_error"] !== true;
  if (code === 0 && succeeded && begun) return { ended: "answered", exitCode: code };
  const error =
    code === 0 && (result === undefined || succeeded)
      ? noAnswer(finished, result === undefined ? "result line" : "session")
      : whatFailed(code, facts);
  return { ended: "error", exitCode: code, error };
}

function noAnswer(finished: FinishedProcess, missing: "result line" | "session"): string {
  const printed = outputOf(finished);
  const what =
    missing === "session"
      ? "the agent printed a result line but began no session"
      : "the agent exited with code 0 but printed no result line";
  return printed === "" ? what : `${what}. It printed: ${printed}`;
}

function whatFailed(code: number, { finished, result, payloads }: RunFacts): string {
  if (result?.["subtype"] === "success" && result["is_error"] !== true) {
    const printed = outputOf(finished);
    const what = `the agent reported success and then exited with code ${code}`;
    return printed === "" ? what : `${what}. It printed: ${printed}`;
  }
  const own = result?.["result"];
  if (typeof own === "string" && own !== "") return own;
  const errors = result?.["errors"];
  if (Array.isArray(errors) && errors.length > 0) return errors.map(String).join("; ");
  const failure = payloads.findLast((payload) => payload["hook_event_name"] === "StopFailure");
  if (failure !== undefined) return [failure["error"], failure["error_details"]].filter(Boolean).join(": ");
  const printed = outputOf(finished);
  if (result === undefined || code !== 0) return printed || `the agent exited with code ${code} and no output`;
  const what = "the agent's result line reports neither success nor an error";
  return printed === "" ? what : `${what}. It printed: ${printed}`;
}

/** The end of what the agent printed outside its stream. */
function outputOf({ stdout, stderr }: FinishedProcess): string {
  return (stderr.text.trim() || stdout.text.trim()).slice(-2_000);
}
