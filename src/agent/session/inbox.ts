import type { ContentBlock, Message } from "../../models/internal.ts";
import type { BackgroundShell } from "../tools/shell/background-shells.ts";
import type { Attachment } from "../turn/attachments.ts";
import { recordNotes, tellModelAsHost } from "../turn/channels.ts";
import type { AgentSession, AgentThread } from "./agent-session.ts";

/** Something for the model: a prompt, or a notification about background work. */
export interface InboxItem {
  /** `deferred`: calls of an earlier run that still wait for a decision. */
  readonly kind: "prompt" | "news" | "deferred";
  readonly content: string | readonly ContentBlock[];
  /** As the transcript calls it. */
  readonly source: "sdk" | "typed" | "system";
  /** A hook gave it when the session began: a turn of its own, with a result of its own. */
  readonly first?: true;
  /** Told with the next prompt; no reason for a turn of its own. */
  readonly quiet?: true;
}

/** What waits for the model. A notification joins the running turn; a prompt is a turn of its own. */
export interface Inbox {
  put(item: InboxItem): void;
  /** News that arrived while a turn runs, each once. */
  takeNotifications(): readonly InboxItem[];
  /** The next item; undefined when nothing is left and nothing more can come. */
  next(signal: AbortSignal): Promise<InboxItem | undefined>;
  /** Somebody may still put something; returns the end of it. */
  hold(): () => void;
  /** Whether something waits, or may still come from work that goes on. */
  readonly expects: boolean;
}

export function openInbox(): Inbox {
  const waiting: InboxItem[] = [];
  let holds = 0;
  let wake: (() => void) | undefined;

  return {
    put(item) {
      if (item.first === true) waiting.unshift(item);
      else waiting.push(item);
      wake?.();
    },
    takeNotifications() {
      const news = waiting.filter(({ kind }) => kind === "news");
      for (const item of news) waiting.splice(waiting.indexOf(item), 1);
      return news;
    },
    async next(signal) {
      for (;;) {
        signal.throwIfAborted();
        const at = waiting.findIndex(({ quiet }) => quiet !== true);
        const [item] = at === -1 ? [] : waiting.splice(at, 1);
        if (item !== undefined || holds === 0) return item;
        await new Promise<void>((done) => {
          wake = done;
          signal.addEventListener("abort", () => done(), { once: true });
        });
      }
    },
    hold() {
      holds += 1;
      let held = true;
      return () => {
        if (held) holds -= 1;
        held = false;
        wake?.();
      };
    },
    get expects() {
      return waiting.some(({ quiet }) => quiet !== true) || holds > 0;
    },
  };
}

/** The notification for the model that a background command has ended. */
export function shellNotification(shell: BackgroundShell): InboxItem {
  const { id, toolUseId, outputPath, description, command } = shell;
  const code = shell.exitCode();
  const ended = code === undefined ? shell.status() : `${shell.status()} (exit code ${code})`;
  const content = `<task-notification>
<task-id>${id}</task-id>
<tool-use-id>${toolUseId}</tool-use-id>
<output-file>${outputPath}</output-file>
<status>${shell.status()}</status>
<summary>Background command "${description || command}" ${ended}</summary>
</task-notification>`;
  return { kind: "news", content, source: "system" };
}

/** Agents and commands that an earlier process of the session started in the background and that never reported: they ended with it. */
export function tasksLostAtRestart(messages: readonly Message[]): readonly InboxItem[] {
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

/** A subagent with a name is a teammate, which always runs in the background. */
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

/** What still runs beside a thread, as Stop tells it. */
export function backgroundTasks(
  { subagents, shells }: AgentSession,
  ownId?: string,
): readonly Record<string, string>[] {
  return [
    ...subagents
      .list()
      .filter(({ id, status }) => status === "running" && id !== ownId)
      .map(({ id, status, description, type }) => ({ id, type: "subagent", status, description, agent_type: type })),
    ...shells
      .list()
      .filter((shell) => shell.status() === "running")
      .map(({ id, description, command }) => ({ id, type: "shell", status: "running", description, command })),
  ];
}

/** Gives a thread, before its next model call, the answers of background hooks, notifications, and messages for a subagent. */
export async function takeNotifications(thread: AgentThread): Promise<void> {
  const { engine, record, inbox } = thread.session;
  for (const message of thread.mail?.splice(0) ?? []) await tellModelAsHost(thread, message);
  if (thread.agent !== undefined) return;
  const late = engine.background.take(record.id);
  const answers = late.map(({ id, hook, occasion, texts, record: { stdout, stderr, ended } }) => ({
    type: "async_hook_response",
    processId: id,
    hookName: occasion,
    hookEvent: hook.event,
    response: { hookSpecificOutput: { hookEventName: hook.event, additionalContext: texts.join("\n") } },
    stdout,
    stderr,
    exitCode: ended.by === "exit" ? ended.code : null,
  }));
  const news: Attachment[] = [];
  for (const { content } of inbox.takeNotifications()) {
    await thread.journal.note({ type: "queue-operation", operation: "remove" });
    news.push({ type: "queued_command", prompt: content, commandMode: "task-notification" });
  }
  await recordNotes(thread, [...answers, ...news]);
}
