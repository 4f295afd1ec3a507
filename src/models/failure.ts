import type { ModelError } from "./model.ts";

/** The classes that StopFailure reports, as the client was measured to use them. */
export type FailureClass =
  | "authentication_failed"
  | "billing_error"
  | "rate_limit"
  | "invalid_request"
  | "model_not_found"
  | "server_error"
  | "max_output_tokens"
  | "unknown";

/**
 * The class of an error that is left after all tries. A bare 400 is `unknown`, because what the request did wrong is not for the person
 * to mend, unless it is one of the two causes that are. Connections that never came or broke off count as the server's.
 */
export function failureOf(error: ModelError): FailureClass {
  const { status, errorType, message } = error;
  if (/credit balance/i.test(message) || errorType === "billing_error") return "billing_error";
  if (errorType === "answer-too-large") return "max_output_tokens";
  if (status === 401 || status === 403 || errorType === "missing-key") return "authentication_failed";
  if (status === 404) return "model_not_found";
  if (status === 429 || errorType === "rate_limit_error") return "rate_limit";
  if (status === 413 || tooLong.test(message)) return "invalid_request";
  if (status !== undefined && status >= 500) return "server_error";
  return serverTypes.has(errorType) ? "server_error" : "unknown";
}

/** A conversation that does not fit, in the words of the Messages API and of servers that speak chat completions. */
const tooLong =
  /(prompt|input) is too long|maximum context length|exceeds?\b[^.]{0,30}\bcontext (limit|window|length|size)/i;

/** Whether asking again may help: the API is busy or broken, or the stream dropped. */
export function worthRetrying({ status, errorType }: ModelError): boolean {
  if (status === 429 || (status !== undefined && status >= 500)) return true;
  return errorType === "rate_limit_error" || serverTypes.has(errorType);
}

/** Whether another model may answer where this one did not: what was worth a retry, and a model that is not there. */
export function worthFallback(error: ModelError): boolean {
  return worthRetrying(error) || failureOf(error) === "model_not_found";
}

/** Inside a stream an error has no status of its own; its type is all there is. */
const serverTypes: ReadonlySet<string> = new Set([
  "api_error",
  "overloaded_error",
  "timeout_error",
  "connection",
  "stream",
]);
