import { randomUUID } from "node:crypto";
import type { ChatCompletionChunk } from "openai/resources/chat/completions";
import type { ModelUsage } from "../../protocol/internal.ts";
import { type AnswerBlock, parseToolCall } from "../message.ts";
import { type AnswerReader, answerEnd, incompleteAnswer, type ModelEvent, noUsage } from "../model.ts";

interface Draft {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  /** The text, or the call's input as JSON text. */
  text: string;
}

/** Adds up the chunks of an answer to blocks. A text block ends where a tool call begins. */
export function openaiReader(): AnswerReader<ChatCompletionChunk> {
  const drafts: Draft[] = [];
  const calls = new Map<number, Draft>();
  let textDraft: Draft | undefined;
  let head = { id: "", model: "" };
  let usage = noUsage;
  let finish: string | undefined;

  function read(chunk: ChatCompletionChunk): readonly ModelEvent[] {
    head = { id: chunk.id || head.id, model: chunk.model || head.model };
    if (chunk.usage) usage = readUsage(chunk.usage);
    const choice = chunk.choices?.[0];
    if (choice === undefined) return [];
    finish = choice.finish_reason ?? finish;
    const { content, refusal, tool_calls: pieces } = choice.delta ?? {};
    const said = `${content ?? ""}${refusal ?? ""}`;
    // Some servers write null where others leave a key out, here and in the pieces.
    return [...(said === "" ? [] : [addText(said)]), ...(pieces ?? []).flatMap(addCall)];
  }

  function addText(text: string): ModelEvent {
    textDraft ??= begin("", "");
    textDraft.text += text;
    return { type: "text", index: textDraft.index, text };
  }

  /**
   * Servers name a call in its first piece; some repeat it in every piece, some number all calls 0 and change the id. A call without an
   * id gets one that no other answer has: a conversation must not hold an id twice.
   */
  function addCall(piece: ToolPiece): readonly ModelEvent[] {
    const { name, arguments: written } = piece.function ?? {};
    const id = piece.id || undefined;
    const json = written ?? "";
    const known = calls.get(piece.index);
    const another = known === undefined || (id !== undefined && id !== known.id);
    const draft = another ? begin(id ?? `call_${randomUUID()}`, name ?? "") : known;
    calls.set(piece.index, draft);
    textDraft = undefined;
    draft.text += json;
    return [
      ...(another ? [{ type: "tool-call", index: draft.index, id: draft.id, name: draft.name } as const] : []),
      ...(json === "" ? [] : [{ type: "tool-input", index: draft.index, json } as const]),
    ];
  }

  function begin(id: string, name: string): Draft {
    const draft = { index: drafts.length, id, name, text: "" };
    drafts.push(draft);
    return draft;
  }

  function end(requestId: string | undefined): readonly ModelEvent[] {
    if (finish === undefined) return [incompleteAnswer];
    const broken: Record<string, string> = {};
    const content = drafts.map((draft) => blockOf(draft, broken));
    const stopReason = calls.size > 0 && finish !== "length" ? "tool_use" : (stopReasons[finish] ?? finish);
    return [
      ...content.map((block, index) => ({ type: "block", index, block }) as const),
      answerEnd({ ...head, content, usage, stopReason }, broken, requestId),
    ];
  }

  return { read, end };
}

interface ToolPiece {
  readonly index: number;
  readonly id?: string | null;
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null;
}

function blockOf({ id, name, text }: Draft, broken: Record<string, string>): AnswerBlock {
  return name === "" && id === "" ? { type: "text", text } : parseToolCall(id, name, text, broken);
}

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};

/** Here the prompt's count includes what came from the cache; ours does not. */
function readUsage(said: NonNullable<ChatCompletionChunk["usage"]>): ModelUsage {
  const cacheRead = said.prompt_tokens_details?.cached_tokens ?? 0;
  const input = Math.max(0, (said.prompt_tokens ?? 0) - cacheRead);
  return { ...noUsage, input, output: said.completion_tokens ?? 0, cacheRead };
}
