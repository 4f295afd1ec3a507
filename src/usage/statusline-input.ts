import { isObject, parseJson } from "../protocol/index.ts";

/** What a client tells its status line; every field may be missing. */
export interface StatuslineInput {
  readonly session: string | undefined;
  readonly transcript: string | undefined;
  readonly model: string | undefined;
  readonly hostMicroUsd: number | undefined;
  /** Share of the context window in use, from 0 to 1. */
  readonly context: number | undefined;
  readonly limits: readonly { readonly name: string; readonly share: number }[];
}

type Json = Readonly<Record<string, unknown>>;

/** Contract: never throws; what is not there, or not as expected, is absent. */
export function readStatuslineInput(text: string): StatuslineInput {
  // Some shells on Windows put a byte order mark before what they pipe.
  const input = objectFrom(parseJson(text.replace(/^\uFEFF/, "")));
  const model = input["model"];
  const cost = numberAt(objectFrom(input["cost"]), "total_cost_usd");
  return {
    session: textAt(input, "session_id"),
    transcript: textAt(input, "transcript_path"),
    model:
      typeof model === "string"
        ? model
        : (textAt(objectFrom(model), "display_name") ?? textAt(objectFrom(model), "id")),
    hostMicroUsd: cost === undefined ? undefined : Math.round(cost * 1e6),
    context: contextShare(objectFrom(input["context_window"])),
    limits: limitsIn(objectFrom(input["rate_limits"])),
  };
}

function contextShare(window: Json): number | undefined {
  const percentage = numberAt(window, "used_percentage");
  if (percentage !== undefined) return percentage / 100;
  const size = numberAt(window, "context_window_size");
  const used = numberAt(window, "total_input_tokens") ?? numberAt(objectFrom(window["current_usage"]), "input_tokens");
  return size === undefined || size <= 0 || used === undefined ? undefined : used / size;
}

const limitNames: ReadonlyMap<string, string> = new Map([
  ["five_hour", "5h"],
  ["seven_day", "7d"],
]);

function limitsIn(limits: Json): StatuslineInput["limits"] {
  return Object.entries(limits).flatMap(([name, value]) => {
    const share = numberAt(objectFrom(value), "used_percentage");
    return share === undefined ? [] : [{ name: limitNames.get(name) ?? name, share: share / 100 }];
  });
}

function objectFrom(value: unknown): Json {
  return isObject(value) ? value : {};
}

function textAt(from: Json, key: string): string | undefined {
  const value = from[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberAt(from: Json, key: string): number | undefined {
  const value = from[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
