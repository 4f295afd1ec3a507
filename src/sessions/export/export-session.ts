import { defined, mustBe, oneOfCheck } from "../../protocol/internal.ts";
import { noBranch } from "../model/branches.ts";
import type { EntryBlock } from "../model/content-block.ts";
import type { AttachmentEntry, Entry, UserEntry } from "../model/entry.ts";
import { textsIn, titleOf, userText } from "../model/entry-text.ts";
import { isClaudeCodeFiller, isModelCall } from "../model/model-call.ts";
import type { SessionModel } from "../model/session-model.ts";
import type { SessionToolCall } from "../model/session-tool-call.ts";
import { isStopFeedback } from "../model/session-turns.ts";
import type { Subagent } from "../model/subagents.ts";
import type { Conversation } from "../model/transcript-conversation.ts";
import { checkArgument, checkCallOptions, optionProblem } from "../option-checks.ts";
import { isHookRecord, textOfBlock } from "../query/query-filters.ts";
import type { Session } from "../session.ts";
import type {
  DocumentAgent,
  DocumentImage,
  DocumentItem,
  DocumentOptions,
  DocumentTool,
  SessionDocument,
} from "./document.ts";
import { toHtml } from "./html.ts";
import { toMarkdown } from "./markdown.ts";

/** An output format of `exportSession`. */
export type ExportFormat = "markdown" | "html" | "json";

/** Exports a session as Markdown, HTML or JSON text, for sharing. Account data and environment files are never part of it. */
export async function exportSession(
  session: Session,
  format: ExportFormat,
  options: DocumentOptions = {},
): Promise<string> {
  checkArgument("session", session, mustBe.object);
  if (typeof session.load !== "function") throw optionProblem("session", session, "a session, as openSession gives it");
  checkArgument("format", format, oneOfCheck(["markdown", "html", "json"]));
  checkCallOptions("exportSession", options, ["agents", "thinking", "results", "leaf", "redact"]);
  const model = await session.load();
  const document = documentOf(model, options);
  if (format === "markdown") return toMarkdown(document);
  return format === "html" ? toHtml(document) : `${JSON.stringify(document, null, 2)}\n`;
}

/** The document of one branch of a session. */
export function documentOf(model: SessionModel, options: DocumentOptions = {}): SessionDocument {
  const { leaf } = options;
  if (leaf !== undefined && model.main.branches.entriesOf(leaf) === undefined) throw noBranch(leaf);
  const scope: Scope = { model, options, redact: options.redact ?? ((text) => text), seen: new Set() };
  const { entries } = model.main;
  const first = entries.find((entry) => entry.cwd !== undefined);
  const times = model.main.history(options.leaf).flatMap((entry) => timeOf(entry).timestamp ?? []);
  const { cwd, version, gitBranch } = first ?? {};
  return {
    schema: "hookline.session/1",
    id: model.id,
    ...texts({ title: titleOf(entries), cwd, version, gitBranch }, scope.redact),
    ...(times[0] === undefined ? {} : { startedAt: times[0], endedAt: times.at(-1) ?? times[0] }),
    models: [...new Set(model.main.calls.flatMap((call) => call.model ?? []).map((name) => scope.redact(name)))].sort(),
    items: itemsOf(model.main, scope),
  };
}

interface Scope {
  readonly model: SessionModel;
  readonly options: DocumentOptions;
  readonly redact: (text: string) => string;
  /** Subagents already written: a cycle of them must end. */
  readonly seen: Set<string>;
}

interface ConversationScope extends Scope {
  readonly thread: Conversation;
  readonly tools: ReadonlyMap<string, SessionToolCall>;
}

function itemsOf(thread: Conversation, session: Scope): DocumentItem[] {
  const { options } = session;
  const scope = { ...session, thread, tools: new Map(thread.toolCalls.map((tool) => [tool.id, tool])) };
  const turnOf = new Map<Entry, number>(
    thread.turns(options.leaf).turns.flatMap(({ number, entries }) => entries.map((entry) => [entry, number])),
  );
  return thread.history(options.leaf).flatMap((entry) => {
    const at = { ...defined({ turn: turnOf.get(entry) }), ...timeOf(entry) };
    return itemsIn(entry, scope).map((item) => ({ ...at, ...item }));
  });
}

/** Only a valid time is exported; any other content of the field is not. */
function timeOf({ timestamp }: Entry): { timestamp?: string } {
  return timestamp !== undefined && /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(timestamp) ? { timestamp } : {};
}

function itemsIn(entry: Entry, scope: ConversationScope): DocumentItem[] {
  const { redact } = scope;
  switch (entry.kind) {
    case "assistant":
      if (isClaudeCodeFiller(entry)) return [];
      if (!isModelCall(entry)) return [{ kind: "api-error", text: redact(textsIn(entry.content).join("\n")) }];
      return entry.content.flatMap((block) => answerItem(block, entry.model, scope));
    case "user":
      return userItems(entry, scope);
    case "attachment":
      return isHookRecord(entry) ? [hookItem(entry, redact)] : [];
    case "system":
      return entry.subtype === "compact_boundary" ? compactionItem(entry.uuid, scope) : [];
    default:
      return [];
  }
}

function answerItem(block: EntryBlock, model: string | undefined, scope: ConversationScope): DocumentItem[] {
  const { redact, options } = scope;
  if (block.type === "text") return [{ kind: "answer", ...texts({ model }, redact), text: redact(block.text) }];
  if (block.type === "thinking") return options.thinking ? [{ kind: "thinking", text: redact(block.thinking) }] : [];
  const tool = block.type === "tool_use" ? scope.tools.get(block.id) : undefined;
  return tool === undefined ? [] : [toolItem(tool, scope)];
}

function toolItem(tool: SessionToolCall, scope: Scope): DocumentTool {
  const { redact, options, model } = scope;
  const ms = Date.parse(tool.endedAt ?? "") - Date.parse(tool.startedAt ?? "");
  const agent = options.agents ? model.agents.find(({ toolCall }) => toolCall?.id === tool.id) : undefined;
  return {
    kind: "tool",
    id: tool.id,
    name: redact(tool.name),
    input: redactAll(tool.input ?? {}, redact),
    status: tool.status,
    ...(options.results
      ? { output: redact(tool.output.map(textOfBlock).filter(Boolean).join("\n")), images: imagesIn(tool.output) }
      : {}),
    ...(Number.isNaN(ms) ? {} : { durationMs: Math.max(0, ms) }),
    ...(agent === undefined || scope.seen.has(agent.id) ? {} : { agent: agentOf(agent, scope) }),
  };
}

function agentOf(agent: Subagent, scope: Scope): DocumentAgent {
  scope.seen.add(agent.id);
  const { leaf: _, ...options } = scope.options;
  return {
    id: agent.id,
    ...texts({ type: agent.meta?.agentType, description: agent.meta?.description }, scope.redact),
    items: itemsOf(agent.thread, { ...scope, options }),
  };
}

function userItems(entry: UserEntry, { thread, redact, options }: ConversationScope): DocumentItem[] {
  const text = redact(userText(entry));
  switch (entry.role) {
    case "prompt":
    case "notification":
    case "teammate":
      return [
        { kind: "prompt", role: entry.role, text, images: options.results === false ? [] : imagesIn(entry.content) },
      ];
    case "command":
      if (!thread.turns(options.leaf).turns.some(({ start }) => start === entry)) return [{ kind: "command", text }];
      return [{ kind: "prompt", role: entry.role, text, images: [] }];
    case "command-output":
      return text === "" ? [] : [{ kind: "command", text }];
    case "interrupt":
      return [{ kind: "interrupt", text }];
    case "meta":
      return isStopFeedback(entry) ? [{ kind: "feedback", text }] : [];
    default:
      return [];
  }
}

function compactionItem(uuid: string, { thread, redact }: ConversationScope): DocumentItem[] {
  const found = thread.compactions.find(({ boundary }) => boundary.uuid === uuid);
  if (found === undefined) return [];
  const { trigger, preTokens, postTokens, summary } = found;
  return [
    {
      kind: "compaction",
      ...texts({ trigger }, redact),
      ...defined({ preTokens, postTokens }),
      ...(summary === undefined ? {} : { summary: redact(textsIn(summary.content).join("\n")) }),
    },
  ];
}

function hookItem({ type, hookEvent, hookName, fields }: AttachmentEntry, redact: Scope["redact"]): DocumentItem {
  const known = ["decision", "message", "content", "stdout", "stderr", "blockingError"].flatMap((key) => {
    const value = fields[key];
    if (value === undefined || value === "") return [];
    return [typeof value === "string" ? value : JSON.stringify(value)];
  });
  const names = texts({ event: hookEvent, name: hookName }, redact);
  return { kind: "hook", type, ...names, text: redact(known.join("\n")) };
}

const raster: ReadonlySet<unknown> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Only raster images, which cannot contain scripts, and only valid base64. */
function imagesIn(blocks: readonly EntryBlock[]): DocumentImage[] {
  return blocks.flatMap((block) => {
    if (block.type === "tool_result") return imagesIn(block.content);
    if (block.type !== "image" || typeof block.source !== "object" || block.source === null) return [];
    const { type, media_type: mediaType, data } = block.source as Record<string, unknown>;
    if (type !== "base64" || typeof mediaType !== "string" || !raster.has(mediaType) || typeof data !== "string")
      return [];
    return /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? [{ mediaType, data }] : [];
  });
}

function texts<K extends string>(
  fields: Record<K, string | undefined>,
  redact: Scope["redact"],
): Partial<Record<K, string>> {
  const kept = Object.entries<string>(defined(fields)).map(([key, value]) => [key, redact(value)]);
  return Object.fromEntries(kept) as Partial<Record<K, string>>;
}

function redactAll(value: unknown, redact: Scope["redact"]): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((one) => redactAll(one, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [redact(key), redactAll(one, redact)]));
}
