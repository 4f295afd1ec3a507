import { answerTooLarge } from "./answer-size.ts";
import { LineTooLong } from "./bounded-fetch.ts";
import type { ModelError } from "./model.ts";
import { aborted } from "./pause.ts";

/** What the official clients throw, as far as they agree: both give status, headers and the parsed body. */
interface Thrown {
  readonly name?: string;
  readonly status?: number;
  readonly message?: string;
  readonly headers?: { get(name: string): string | null };
  readonly error?: unknown;
  readonly requestID?: string | null;
  readonly cause?: unknown;
}

/** An error of a client as a value; `began` once its answer had begun. No header but those of waiting and of the request's id is looked at, so no key can get out. */
export function errorOf(thrown: unknown, signal: AbortSignal, began = false): ModelError {
  if (signal.aborted) return aborted;
  if (isTooLong(thrown)) return answerTooLarge;
  const { status, message, headers, error, requestID, cause } = thrown as Thrown;
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
    ...(status === undefined ? {} : { status }),
    errorType: body.type ?? "api_error",
    message: brief(body.message ?? message ?? `HTTP ${status}`),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function isTooLong(thrown: unknown): boolean {
  return thrown instanceof LineTooLong || (thrown instanceof Error && thrown.cause instanceof LineTooLong);
}

/** Some gateways answer with a page. */
function brief(message: string): string {
  return message.length > 1_000 ? `${message.slice(0, 1_000)}…` : message;
}

/** `{error: {type, message}}`, or already what is inside it. */
function bodyOf(error: unknown): { readonly type?: string; readonly message?: string } {
  if (typeof error !== "object" || error === null) return {};
  const inner = "error" in error ? error.error : error;
  if (typeof inner !== "object" || inner === null) return {};
  const { type, message } = inner as Record<string, unknown>;
  return {
    ...(typeof type === "string" ? { type } : {}),
    ...(typeof message === "string" ? { message } : {}),
  };
}

/** `retry-after-ms`, or `Retry-After` in seconds or as a date. */
function waitOf(headers: Thrown["headers"]): number | undefined {
  const ms = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const said = headers?.get("retry-after") ?? "";
  if (/^\s*\d+(\.\d+)?\s*$/.test(said)) return Number.parseFloat(said) * 1000;
  const until = Date.parse(said) - Date.now();
  return Number.isFinite(until) ? Math.max(0, until) : undefined;
}
