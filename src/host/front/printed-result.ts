import type { AgentResult } from "../../protocol/index.ts";

/**
 * A result as it is printed, with the client's fields: a run that a limit or an interrupt ended has `errors` in the place of an answer,
 * and a prompt that a hook dropped was not put to the API.
 */
export function printedResult(given: AgentResult): Readonly<Record<string, unknown>> {
  const { result, api_error_status, ...printed } = given;
  if (given.subtype !== "success") return printed;
  return { ...printed, result, ...(given.terminal_reason === "prompt_blocked" ? {} : { api_error_status }) };
}
