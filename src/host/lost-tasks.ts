import type { ContentBlock, Message } from "../models/index.ts";
import type { Incoming } from "./inbox.ts";

/** Agents and commands that an earlier process of the session started in the background and that never reported: they ended with it. */
export function lostTasks(messages: readonly Message[]): readonly Incoming[] {
  const started = new Map<string, string>();
  const failed = new Set<string>();
  let told = "";
  for (const { content } of messages) {
    if (typeof content === "string") told += content;
    else
      for (const block of content) {
        if (block.type === "tool_use" && isInBackground(block)) started.set(block.id, nameOf(block));
        if (block.type === "tool_result" && block.is_error === true) failed.add(block.tool_use_id);
        if (block.type === "text") told += block.text;
      }
  }
  return [...started]
    .filter(([id]) => !failed.has(id) && !told.includes(idLine(id)))
    .map(([id, name]) => ({ kind: "news", content: newsOf(id, name), source: "system", quiet: true }));
}

/** An agent with a name is a teammate, which always works beside the main thread. */
function isInBackground({ name, input }: Extract<ContentBlock, { type: "tool_use" }>): boolean {
  return input["run_in_background"] === true || (name === "Agent" && typeof input["name"] === "string");
}

function nameOf({ name, input }: Extract<ContentBlock, { type: "tool_use" }>): string {
  return `${name} "${String(input["description"] ?? input["command"] ?? "")}"`;
}

function idLine(id: string): string {
  return `<tool-use-id>${id}</tool-use-id>`;
}

function newsOf(id: string, name: string): string {
  return `<task-notification>
${idLine(id)}
<status>killed</status>
<summary>${name} ended with an earlier process of this session and will not report.</summary>
</task-notification>`;
}
