import type { Failure, Part, Turn, Whole } from "./script.ts";

/** A turn as the Messages API words it: the whole message, its events for a stream, or an error. */

export interface Message {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly Block[];
  readonly stop_reason: string;
  readonly stop_sequence: null;
  readonly usage: Usage;
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object };

interface Usage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
  readonly service_tier: "standard";
  readonly [field: string]: unknown;
}

export interface StreamEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function isFailure(turn: Turn): turn is Failure {
  return typeof turn === "object" && "status" in turn;
}

export function wholeOf(turn: Exclude<Turn, Failure>): Whole {
  if (isList(turn)) return { blocks: turn };
  return typeof turn === "object" && "blocks" in turn ? turn : { blocks: [turn] };
}

export function messageOf(whole: Whole, model: string, serial: number): Message {
  const content = whole.blocks.map((part, index) => blockOf(part, `${serial}_${index}`));
  return {
    id: `msg_scripted_${serial}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: whole.stopReason ?? (content.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: { ...usage(Math.ceil(JSON.stringify(content).length / 4)), ...whole.usage },
  };
}

export function* eventsOf(message: Message, chunk?: number): Generator<StreamEvent> {
  const { content, stop_reason, usage: final } = message;
  const begun = { ...final, output_tokens: 1 };
  yield { type: "message_start", message: { ...message, content: [], stop_reason: null, usage: begun } };
  for (const [index, block] of content.entries()) {
    yield { type: "content_block_start", index, content_block: emptied(block) };
    for (const delta of deltasOf(block, chunk)) yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  yield { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: final };
  yield { type: "message_stop" };
}

export function errorOf(failure: Failure): object {
  const type = failure.error ?? errorNames[failure.status] ?? "api_error";
  return { type: "error", error: { type, message: failure.message ?? `scripted ${type}` } };
}

const errorNames: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  500: "api_error",
  529: "overloaded_error",
};

function isList(turn: Turn): turn is readonly Part[] {
  return Array.isArray(turn);
}

function blockOf(part: Part, serial: string): Block {
  if (typeof part === "string") return { type: "text", text: part };
  if ("thinking" in part) return { type: "thinking", thinking: part.thinking, signature: "c2NyaXB0ZWQ=" };
  return { type: "tool_use", id: part.id ?? `toolu_scripted_${serial}`, name: part.tool, input: part.input };
}

function emptied(block: Block): object {
  if (block.type === "text") return { type: "text", text: "" };
  if (block.type === "thinking") return { type: "thinking", thinking: "", signature: "" };
  return { ...block, input: {} };
}

function* deltasOf(block: Block, chunk?: number): Generator<object> {
  if (block.type === "text") {
    for (const text of pieces(block.text, chunk)) yield { type: "text_delta", text };
  } else if (block.type === "thinking") {
    for (const thinking of pieces(block.thinking, chunk)) yield { type: "thinking_delta", thinking };
    yield { type: "signature_delta", signature: block.signature };
  } else {
    for (const json of pieces(JSON.stringify(block.input), chunk))
      yield { type: "input_json_delta", partial_json: json };
  }
}

function* pieces(text: string, size: number = text.length): Generator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

function usage(outputTokens: number): Usage {
  return {
    input_tokens: 100,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
    service_tier: "standard",
  };
}
