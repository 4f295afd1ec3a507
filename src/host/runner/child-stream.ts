import type { OnLine } from "../../exec/index.ts";

export type Message = Readonly<Record<string, unknown>>;

/** What the child's stream has said so far. */
export interface ChildStream {
  /** The last result object. */
  readonly result: Message | undefined;
  readonly sessionId: string | undefined;
  /** Text of the assistant messages so far, the newest last. */
  readonly texts: readonly string[];
  readonly onLine: OnLine;
}

/** Reads one JSON object per line; other lines stay in the child's output. */
export function childStream(onMessage: (message: Message) => void): ChildStream {
  let result: Message | undefined;
  let sessionId: string | undefined;
  const texts: string[] = [];

  function take(message: Message): void {
    if (message["type"] === "result") result = message;
    if (typeof message["session_id"] === "string") sessionId = message["session_id"];
    // A subagent's words are not the answer.
    if (message["type"] === "assistant" && (message["parent_tool_use_id"] ?? null) === null) {
      const text = textOf(message["message"]);
      if (text !== "") texts.push(text);
    }
    onMessage(message);
  }

  return {
    get result() {
      return result;
    },
    get sessionId() {
      return sessionId;
    },
    texts,
    onLine(line, whole) {
      const message = whole && line.startsWith("{") ? parsed(line) : undefined;
      if (message === undefined) return "keep";
      take(message);
      return "take";
    },
  };
}

function parsed(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Message) : undefined;
  } catch {
    // Not one of its messages: it stays in the output and is shown when the run fails.
    return undefined;
  }
}

function textOf(message: unknown): string {
  const content = (message as { content?: unknown } | undefined)?.content;
  if (!Array.isArray(content)) return "";
  const blocks = content as readonly { type?: unknown; text?: unknown }[];
  return blocks.flatMap(({ type, text }) => (type === "text" && typeof text === "string" ? [text] : [])).join("\n");
}
