import { defined, isObject, textField } from "../protocol/internal.ts";
import { answerTooLarge, LineTooLong } from "./answer-limits.ts";
import type { ModelError } from "./model.ts";

/** The classes that StopFailure reports, as Claude Code was measured to use them. */
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
 * The class of an error that remains after all retries. A plain 400 is `unknown`, because the user cannot fix the request,
 * except for two known causes. Failed and dropped connections count as `server_error`.
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

/** Errors of the Messages API and of chat completions servers about a conversation that is too long. */
const tooLong =
  /(prompt|input) is too long|maximum context length|exceeds?\b[^.]{0,30}\bcontext (limit|window|length|size)/i;

/** Whether asking again may help: the API is busy or broken, or the stream dropped. */
export function shouldRetry({ status, errorType }: ModelError): boolean {
  if (status === 429 || (status !== undefined && status >= 500)) return true;
  return errorType === "rate_limit_error" || serverTypes.has(errorType);
}

/** Whether another model may succeed: after an error worth a retry, or when the model does not exist. */
export function worthFallback(error: ModelError): boolean {
  return shouldRetry(error) || failureOf(error) === "model_not_found";
}

/** Inside a stream an error has no status, only a type. */
const serverTypes: ReadonlySet<string> = new Set([
  "api_error",
  "overloaded_error",
  "timeout_error",
  "connection",
  "stream",
]);

/** What both official clients throw. */
interface Thrown {
  readonly status?: number;
  readonly message?: string;
  readonly headers?: { get(name: string): string | null };
  readonly error?: unknown;
  readonly requestID?: string | null;
  readonly cause?: unknown;
}

/** An error of a client as a value; `began` is true once its answer had begun. Only the headers about waiting and the request's id are read, so no key can leak. */
export function toModelError(thrown: unknown, signal: AbortSignal, began = false): ModelError {
  if (signal.aborted) return aborted;
  const { status, message, headers, error, requestID, cause } = thrown as Thrown;
  if (thrown instanceof LineTooLong || cause instanceof LineTooLong) return answerTooLarge;
  const body = bodyOf(error);
  if (status === undefined && body.type === undefined) {
    const why = [message, (cause as Thrown | undefined)?.message].filter(Boolean).join(" ");
    const says = began ? "The answer broke off" : "No connection to the model";
    return { type: "error", errorType: began ? "stream" : "connection", message: `${says}: ${why || String(thrown)}` };
  }
  const retryAfterMs = waitOf(headers);
  const requestId = requestID ?? headers?.get("x-request-id") ?? undefined;
  return {
    type: "error",
    errorType: body.type ?? "api_error",
    message: brief(body.message ?? message ?? `HTTP ${status}`),
    ...defined({ status, retryAfterMs, requestId }),
  };
}

/** Some gateways answer with a whole page. */
function brief(message: string): string {
  return message.length > 1_000 ? `${message.slice(0, 1_000)}…` : message;
}

/** `{error: {type, message}}`, or already what is inside it. */
function bodyOf(error: unknown): { readonly type: string | undefined; readonly message: string | undefined } {
  const inner = isObject(error) && "error" in error ? error["error"] : error;
  return { type: textField(inner, "type"), message: textField(inner, "message") };
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date. */
function waitOf(headers: Thrown["headers"]): number | undefined {
  const ms = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const retryAfter = headers?.get("retry-after") ?? "";
  if (/^\s*\d+(\.\d+)?\s*$/.test(retryAfter)) return Number.parseFloat(retryAfter) * 1000;
  const until = Date.parse(retryAfter) - Date.now();
  return Number.isFinite(until) ? Math.max(0, until) : undefined;
}

export const aborted: ModelError = { type: "error", errorType: "aborted", message: "The request was interrupted." };
