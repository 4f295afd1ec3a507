import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { defined, messageOf, Problem } from "../../protocol/internal.ts";
import { messagesRequest } from "../anthropic/anthropic-request.ts";
import { brokenRule } from "../anthropic/request-rules.ts";
import { aborted } from "../failure.ts";
import { type AnswerBlock, parseToolCall } from "../message.ts";
import { answerEnd, type Model, type ModelError, type ModelEvent, type ModelRequest, noUsage } from "../model.ts";
import { pause } from "../retry.ts";
import { answerLabel, chooseAnswer, lengthOfRequest, unmetExpectations, unusedAnswers } from "./choose-answer.ts";
import { type ModelScript, parseScript, type ScriptedAnswer, type ScriptedError } from "./script.ts";

/** The options of `scripted`. */
export interface ScriptedOptions {
  /** Waits; replace it in tests. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** A scripted model, which reports what did not happen as scripted. */
export interface ScriptedModel extends Model {
  complaints(): readonly string[];
}

/** A model that answers from a script: for tests, demos and use without a key. Takes the script or the path of its file. */
export async function scripted(from: ModelScript | string, options: ScriptedOptions = {}): Promise<ScriptedModel> {
  const script =
    typeof from === "string" ? parseScript(await jsonIn(from), from) : parseScript(from, "the given object");
  const used = script.answers.map(() => 0);
  const complaints: string[] = [];
  const newId = idSource(script.ids);
  const wait = options.pause ?? pause;

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const broken = brokenRule(messagesRequest(request));
    if (broken !== undefined) {
      yield complain("invalid_request_error", `The Messages API would refuse this request: ${broken}`);
      return;
    }
    const at = chooseAnswer(script, used, request);
    const answer = script.answers[at];
    if (answer === undefined) {
      yield complain("no-answer", `The script has no answer left for this request: ${briefly(request)}`);
      return;
    }
    used[at] = (used[at] ?? 0) + 1;
    const wrong = unmetExpectations(answer.expect ?? [], request);
    if (wrong.length > 0) {
      yield complain("expectation", `${answerLabel(answer, at)} expects another request: ${wrong.join("; ")}`);
      return;
    }
    yield* play(answer, request, signal);
  }

  function complain(errorType: string, message: string): ModelError {
    complaints.push(message);
    return { type: "error", status: 400, errorType, message };
  }

  /** One answer as a model would stream it. */
  async function* play(answer: ScriptedAnswer, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const id = newId("msg");
    const broken: Record<string, string> = {};
    const blocks = blocksOf(answer, () => newId("toolu"), broken);
    await wait(answer.delayMs ?? 0, signal);
    for (const [index, { block, written }] of blocks.entries()) {
      for (const event of piecesOf(block, written, index, answer.chunk?.size)) {
        if (signal.aborted) break;
        yield event;
        await wait(answer.chunk?.delayMs ?? 0, signal);
      }
      if (!signal.aborted && answer.error === undefined) yield { type: "block", index, block };
    }
    if (signal.aborted) yield aborted;
    else if (answer.error !== undefined) yield scriptError(answer.error);
    else yield answerEnd({ id, ...endOf(answer, blocks, request) }, broken);
  }

  return {
    name: script.model ?? "scripted",
    ...defined({ contextWindow: script.contextWindow }),
    defaultEffort: () => "high",
    stream,
    complaints: () => [...complaints, ...unusedAnswers(script, used)],
  };
}

async function jsonIn(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    const why = (cause as NodeJS.ErrnoException).code === "ENOENT" ? "it does not exist" : messageOf(cause);
    const message = `${file} cannot be read as a script: ${why}`;
    throw new Problem("models/bad-script", message, { about: { where: file }, cause });
  }
}

function idSource(kind: ModelScript["ids"] = "random"): (prefix: "msg" | "toolu") => string {
  // As long as the API's own.
  if (kind === "random") return (prefix) => `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
  const counts = { msg: 0, toolu: 0 };
  return (prefix) => {
    counts[prefix] += 1;
    return `${prefix}_scripted_${String(counts[prefix]).padStart(4, "0")}`;
  };
}

function briefly({ purpose, subagent, messages }: ModelRequest): string {
  const last = JSON.stringify(messages.at(-1)?.content ?? "");
  const who = subagent === undefined ? purpose : `${purpose} (${subagent})`;
  return `${who}, last message ${last.length > 200 ? `${last.slice(0, 199)}…` : last}`;
}

interface PlayedBlock {
  readonly block: AnswerBlock;
  /** What the model wrote for it, as text. */
  readonly written: string;
}

function blocksOf(
  { thinking, text, calls = [] }: ScriptedAnswer,
  newCallId: () => string,
  broken: Record<string, string>,
): readonly PlayedBlock[] {
  const blocks: PlayedBlock[] = [];
  if (thinking !== undefined)
    blocks.push({ block: { type: "thinking", thinking, signature: "c2NyaXB0ZWQ=" }, written: thinking });
  if (text !== undefined) blocks.push({ block: { type: "text", text }, written: text });
  for (const { tool, id = newCallId(), input = {}, rawInput } of calls) {
    const written = rawInput ?? JSON.stringify(input);
    blocks.push({ block: parseToolCall(id, tool, written, broken), written });
  }
  return blocks;
}

function* piecesOf(block: AnswerBlock, written: string, index: number, size = written.length): Generator<ModelEvent> {
  if (block.type === "tool_use") yield { type: "tool-call", index, id: block.id, name: block.name };
  const letters = [...written]; // whole characters: an API never sends half of an emoji
  for (let at = 0; at < letters.length; at += Math.max(1, size)) {
    const piece = letters.slice(at, at + Math.max(1, size)).join("");
    if (block.type === "tool_use") yield { type: "tool-input", index, json: piece };
    else yield { type: block.type === "thinking" ? "thinking" : "text", index, text: piece };
  }
}

function scriptError({ status, type, message, retryAfterMs }: ScriptedError): ModelError {
  const errorType = type ?? (status === undefined ? "stream" : (errorTypes[status] ?? "api_error"));
  const usual = status === undefined ? "The stream broke off." : `scripted ${errorType}`;
  return { type: "error", errorType, message: message ?? usual, ...defined({ status, retryAfterMs }) };
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

/** Four characters count as a token, so that a long conversation fills the window. */
function endOf(answer: ScriptedAnswer, blocks: readonly PlayedBlock[], request: ModelRequest) {
  const input = Math.ceil(lengthOfRequest(request) / 4);
  const output = Math.ceil(blocks.reduce((sum, { written }) => sum + written.length, 0) / 4);
  const calls = blocks.some(({ block }) => block.type === "tool_use");
  return {
    model: request.model,
    content: blocks.map(({ block }) => block),
    usage: { ...noUsage, input, output, ...answer.usage },
    stopReason: answer.stopReason ?? (calls ? "tool_use" : "end_turn"),
  };
}
