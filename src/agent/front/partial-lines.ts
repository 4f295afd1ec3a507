import type { AnswerBlock, ModelEvent } from "../../models/internal.ts";
import { apiMessage, apiUsage } from "../session/journal.ts";

type ApiEvent = Readonly<Record<string, unknown>>;

/** Deltas of a model port as the events of a Messages stream, for programs that read those. */
export function partialLines(): (event: ModelEvent) => readonly ApiEvent[] {
  let begun = false;
  let open: number | undefined;

  function begin(): readonly ApiEvent[] {
    if (begun) return [];
    begun = true;
    return [{ type: "message_start", message: { type: "message", role: "assistant", content: [], stop_reason: null } }];
  }

  function start(index: number, content_block: object): readonly ApiEvent[] {
    if (open === index) return [];
    open = index;
    return [...begin(), { type: "content_block_start", index, content_block }];
  }

  return (event) => {
    switch (event.type) {
      case "text":
        return [
          ...start(event.index, { type: "text", text: "" }),
          delta(event.index, { type: "text_delta", text: event.text }),
        ];
      case "thinking":
        return [
          ...start(event.index, { type: "thinking", thinking: "", signature: "" }),
          delta(event.index, { type: "thinking_delta", thinking: event.text }),
        ];
      case "tool-call":
        return start(event.index, { type: "tool_use", id: event.id, name: event.name, input: {} });
      case "tool-input":
        return [delta(event.index, { type: "input_json_delta", partial_json: event.json })];
      case "block": {
        const lines = [...start(event.index, emptied(event.block)), { type: "content_block_stop", index: event.index }];
        open = undefined;
        return lines;
      }
      case "end": {
        begun = false;
        const { stop_reason, stop_sequence } = apiMessage(event, []);
        return [
          { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: apiUsage(event.usage) },
          { type: "message_stop" },
        ];
      }
      default:
        begun = false;
        open = undefined;
        return [];
    }
  };
}

function delta(index: number, inner: object): ApiEvent {
  return { type: "content_block_delta", index, delta: inner };
}

function emptied(block: AnswerBlock): object {
  return block.type === "tool_use" ? { ...block, input: {} } : block;
}
