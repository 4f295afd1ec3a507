import type {
  MessageDeltaUsage,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  Usage,
} from "@anthropic-ai/sdk/resources/messages";
import type { ModelUsage } from "../../protocol/internal.ts";
import { type AnswerBlock, parseToolCall } from "../message.ts";
import { type AnswerReader, answerEnd, incompleteAnswer, type ModelEvent, noUsage } from "../model.ts";

/** Adds up the events of an answer. The answer is complete after `message_stop`. */
export function anthropicReader(): AnswerReader<RawMessageStreamEvent> {
  const open = new Map<number, Draft>();
  const content: AnswerBlock[] = [];
  const broken: Record<string, string> = {};
  let head = { id: "", model: "" };
  let usage = noUsage;
  let stopReason: string | undefined;
  let complete = false;

  function read(event: RawMessageStreamEvent): readonly ModelEvent[] {
    switch (event.type) {
      case "message_start":
        head = { id: event.message?.id ?? "", model: event.message?.model ?? "" };
        usage = readUsage(event.message?.usage, usage);
        return [];
      case "content_block_start":
        return begin(event.index, event.content_block as Draft["block"]);
      case "content_block_delta":
        return addDelta(event.index, event.delta);
      case "content_block_stop":
        return close(event.index);
      case "message_delta":
        stopReason = event.delta.stop_reason ?? stopReason;
        usage = readUsage(event.usage, usage);
        return [];
      case "message_stop":
        complete = true;
        return [];
      default:
        return []; // a ping, or an event of a newer API
    }
  }

  function begin(index: number, block: Draft["block"]): readonly ModelEvent[] {
    open.set(index, { block, json: "" });
    if (block.type === "tool_use") return [{ type: "tool-call", index, id: block.id, name: block.name }];
    return [];
  }

  function addDelta(index: number, delta: RawContentBlockDelta): readonly ModelEvent[] {
    const draft = open.get(index);
    if (draft === undefined) return [];
    const { block } = draft;
    if (delta.type === "text_delta" && block.type === "text") {
      block.text += delta.text;
      return [{ type: "text", index, text: delta.text }];
    }
    if (delta.type === "thinking_delta" && block.type === "thinking") {
      block.thinking += delta.thinking;
      return [{ type: "thinking", index, text: delta.thinking }];
    }
    if (delta.type === "signature_delta" && block.type === "thinking") block.signature = delta.signature;
    if (delta.type !== "input_json_delta" || block.type !== "tool_use") return [];
    draft.json += delta.partial_json;
    return delta.partial_json === "" ? [] : [{ type: "tool-input", index, json: delta.partial_json }];
  }

  function close(index: number): readonly ModelEvent[] {
    const draft = open.get(index);
    open.delete(index);
    const block = draft === undefined ? undefined : finished(draft, broken);
    if (block === undefined) return [];
    content.push(block);
    return [{ type: "block", index, block }];
  }

  function end(requestId: string | undefined): readonly ModelEvent[] {
    if (!complete || stopReason === undefined) return [incompleteAnswer];
    return [answerEnd({ ...head, content, usage, stopReason }, broken, requestId)];
  }

  return { read, end, startSize };
}

/** What a block begins with: as a rule nothing. */
function startSize(event: RawMessageStreamEvent): number {
  return event.type === "content_block_start" ? JSON.stringify(event.content_block ?? "").length : 0;
}

interface Draft {
  readonly block: Mutable<AnswerBlock>;
  json: string;
}

type Mutable<Block> = Block extends unknown ? { -readonly [Key in keyof Block]: Block[Key] } : never;

/** The block with the fields that we know; the API would reject other fields that it sent. */
function finished({ block, json }: Draft, broken: Record<string, string>): AnswerBlock | undefined {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "thinking":
      return { type: "thinking", thinking: block.thinking, signature: block.signature };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: block.data };
    case "tool_use":
      return parseToolCall(block.id, block.name, json || startInput(block.input), broken);
    default:
      return undefined; // made by a tool of the server, which nobody here asks for
  }
}

/** Some servers write the whole input where the call begins, and no pieces of it. */
function startInput(input: unknown): string {
  return typeof input === "object" && input !== null ? JSON.stringify(input) : "";
}

/** Later counts replace earlier ones, class by class. The last event may repeat only some, and a server may send none. */
function readUsage(counts: Counts | null | undefined, before: ModelUsage): ModelUsage {
  const said = counts ?? {};
  const written = said.cache_creation_input_tokens ?? before.cacheWrite5m + before.cacheWrite1h;
  const hour = said.cache_creation?.ephemeral_1h_input_tokens ?? Math.min(before.cacheWrite1h, written);
  return {
    input: said.input_tokens ?? before.input,
    output: said.output_tokens ?? before.output,
    cacheWrite5m: Math.max(0, written - hour),
    cacheWrite1h: hour,
    cacheRead: said.cache_read_input_tokens ?? before.cacheRead,
  };
}

type Counts = Partial<MessageDeltaUsage> & Partial<Pick<Usage, "cache_creation">>;
