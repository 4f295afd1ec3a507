import type { Entry } from "./entry.ts";

/** What a background agent or task said when it stopped. It can say so more than once. */
export interface AgentReport {
  readonly taskId?: string;
  readonly toolUseId?: string;
  /** `completed`, `failed`, `killed`, …; as written. */
  readonly status?: string;
  readonly summary?: string;
  readonly result?: string;
  readonly timestamp?: string;
  readonly entry: Entry;
}

/** The report in an entry: a queue operation, a queued command or a user line may carry it. */
export function reportIn(entry: Entry): AgentReport | undefined {
  const text = notificationText(entry);
  if (text === undefined || !text.trimStart().startsWith("<task-notification>")) return undefined;
  const taskId = tag(text, "task-id");
  const toolUseId = tag(text, "tool-use-id");
  if (taskId === undefined && toolUseId === undefined) return undefined;
  const status = tag(text, "status");
  const summary = tag(text, "summary");
  const result = tag(text, "result");
  return {
    ...(taskId === undefined ? {} : { taskId }),
    ...(toolUseId === undefined ? {} : { toolUseId }),
    ...(status === undefined ? {} : { status }),
    ...(summary === undefined ? {} : { summary }),
    ...(result === undefined ? {} : { result }),
    ...(entry.timestamp === undefined ? {} : { timestamp: entry.timestamp }),
    entry,
  };
}

function notificationText(entry: Entry): string | undefined {
  if (entry.kind === "queue-operation") return typeof entry.content === "string" ? entry.content : undefined;
  if (entry.kind === "attachment" && entry.type === "queued_command") {
    const prompt = entry.fields["prompt"];
    return typeof prompt === "string" ? prompt : undefined;
  }
  if (entry.kind !== "user" || entry.role !== "notification") return undefined;
  const first = entry.content.find((block) => block.type === "text");
  return first?.type === "text" ? first.text : undefined;
}

/** The text between a tag and its end; the last end counts for `result`, which may quote anything. */
function tag(text: string, name: string): string | undefined {
  const from = text.indexOf(`<${name}>`);
  if (from < 0) return undefined;
  const start = from + name.length + 2;
  const to = name === "result" ? text.lastIndexOf(`</${name}>`) : text.indexOf(`</${name}>`, start);
  return to < start ? undefined : text.slice(start, to);
}
