import type { ModelEvent } from "../../models/internal.ts";
import { apiMessage, apiUsage } from "../session/journal.ts";

type ApiEvent = Readonly<Record<string, unknown>>;

/** Converts the events of a model port to those of a Messages API stream. */
export function partialLines(): (event: ModelEvent) => readonly ApiEvent[] {
  let hasBegun = false;
  let openBlock: number | undefined;

  function begin(): readonly ApiEvent[] {
    if (hasBegun) return [];
    hasBegun = true;
    return [{ type: "message_start", message: { type: "message", role: "assistant", content: [], stop_reason: null } }];
  }

  function start(index: number, content_block: object): readonly ApiEvent[] {
    if (openBlock === index) return [];
    openBlock = index;
    return [...begin(), { type: "content_block_start", index, content_block }];
  }

  return (event) => {
    switch (event.type) {
      case "text":
        return [
          ...start(event.index, { type: "text", text: "" }),
          delta(event.index, "text_delta", { text: event.text }),
        ];
      case "thinking":
        return [
          ...start(event.index, { type: "thinking", thinking: "", signature: "" }),
          delta(event.index, "thinking_delta", { thinking: event.text }),
        ];
      case "tool-call":
        return start(event.index, { type: "tool_use", id: event.id, name: event.name, input: {} });
      case "tool-input":
        return [delta(event.index, "input_json_delta", { partial_json: event.json })];
      case "block": {
        const { index, block } = event;
        const started = start(index, block.type === "tool_use" ? { ...block, input: {} } : block);
        openBlock = undefined;
        return [...started, { type: "content_block_stop", index }];
      }
      case "end": {
        hasBegun = false;
        const { stop_reason, stop_sequence } = apiMessage(event, []);
        return [
          { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: apiUsage(event.usage) },
          { type: "message_stop" },
        ];
      }
      default:
        hasBegun = false;
        openBlock = undefined;
        return [];
    }
  };
}

function delta(index: number, type: string, fields: object): ApiEvent {
  return { type: "content_block_delta", index, delta: { type, ...fields } };
}
