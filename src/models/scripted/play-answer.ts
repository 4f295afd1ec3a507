import { aborted } from "../failure.ts";
import { type AnswerBlock, parseToolCall } from "../message.ts";
import { type ModelError, type ModelEvent, type ModelRequest, type ModelUsage, noUsage } from "../model.ts";
import { lengthOfRequest } from "./choose-answer.ts";
import type { ScriptedAnswer, ScriptedCall, ScriptedError } from "./script.ts";

export interface PlayContext {
  readonly ids: IdSource;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface IdSource {
  message(): string;
  call(): string;
}

/** One answer as a model would stream it. */
export async function* playAnswer(
  answer: ScriptedAnswer,
  request: ModelRequest,
  stage: PlayContext,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  const id = stage.ids.message();
  const blocks = blocksOf(answer, stage.ids);
  await stage.pause(answer.delayMs ?? 0, signal);
  for (const [index, { block, written }] of blocks.entries()) {
    for (const event of piecesOf(block, written, index, answer.chunk?.size)) {
      if (signal.aborted) break;
      yield event;
      await stage.pause(answer.chunk?.delayMs ?? 0, signal);
    }
    if (!signal.aborted && answer.error === undefined) yield { type: "block", index, block };
  }
  if (signal.aborted) yield aborted;
  else if (answer.error !== undefined) yield scriptError(answer.error);
  else yield endOf(answer, blocks, request, id);
}

interface Block {
  readonly block: AnswerBlock;
  /** What the model wrote for it, as text. */
  readonly written: string;
  /** The text under the call's id, when it is not a JSON object. */
  readonly broken: Readonly<Record<string, string>>;
}

function blocksOf({ thinking, text, calls = [] }: ScriptedAnswer, ids: IdSource): readonly Block[] {
  const blocks: Block[] = [];
  if (thinking !== undefined) {
    blocks.push({ block: { type: "thinking", thinking, signature: "c2NyaXB0ZWQ=" }, written: thinking, broken: {} });
  }
  if (text !== undefined) blocks.push({ block: { type: "text", text }, written: text, broken: {} });
  return [...blocks, ...calls.map((call) => callOf(call, ids))];
}

function callOf({ tool, id, input = {}, rawInput }: ScriptedCall, ids: IdSource): Block {
  const written = rawInput ?? JSON.stringify(input);
  const broken: Record<string, string> = {};
  return { block: parseToolCall(id ?? ids.call(), tool, written, broken), written, broken };
}

function* piecesOf(block: AnswerBlock, written: string, index: number, size = written.length): Generator<ModelEvent> {
  if (block.type === "tool_use") yield { type: "tool-call", index, id: block.id, name: block.name };
  const letters = [...written]; // by characters: half of an emoji is nothing anybody sends
  for (let at = 0; at < letters.length; at += Math.max(1, size)) {
    const piece = letters.slice(at, at + Math.max(1, size)).join("");
    if (block.type === "tool_use") yield { type: "tool-input", index, json: piece };
    else yield { type: block.type === "thinking" ? "thinking" : "text", index, text: piece };
  }
}

function scriptError({ status, type, message, retryAfterMs }: ScriptedError): ModelError {
  const errorType = type ?? (status === undefined ? "stream" : (errorTypes[status] ?? "api_error"));
  return {
    type: "error",
    ...(status === undefined ? {} : { status }),
    errorType,
    message: message ?? (status === undefined ? "The stream broke off." : `scripted ${errorType}`),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function endOf(answer: ScriptedAnswer, blocks: readonly Block[], request: ModelRequest, id: string): ModelEvent {
  const calls = blocks.some(({ block }) => block.type === "tool_use");
  const broken = Object.assign({}, ...blocks.map((block) => block.broken)) as Record<string, string>;
  return {
    type: "end",
    id,
    model: request.model,
    content: blocks.map(({ block }) => block),
    usage: { ...estimated(request, blocks), ...answer.usage },
    stopReason: answer.stopReason ?? (calls ? "tool_use" : "end_turn"),
    ...(Object.keys(broken).length > 0 ? { broken } : {}),
  };
}

/** Four characters to a token, so that a long conversation fills the window. */
function estimated(request: ModelRequest, blocks: readonly Block[]): ModelUsage {
  const output = blocks.reduce((sum, { written }) => sum + written.length, 0);
  return { ...noUsage, input: Math.ceil(lengthOfRequest(request) / 4), output: Math.ceil(output / 4) };
}
