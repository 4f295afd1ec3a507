import { blocksIn, type ContentBlock, type Message, type ToolUseBlock, textIn } from "../../models/internal.ts";
import type { BackgroundShell } from "../tools/shell/background-shells.ts";
import type { Attachment } from "../turn/attachments.ts";
import { recordNotes, tellModelAsHost } from "../turn/channels.ts";
import type { AgentSession, AgentThread } from "./agent-session.ts";

/** Something for the model: a prompt, or a notification about background work. */
export interface InboxItem {
  /** `deferred`: calls of an earlier run that still wait for a decision. */
  readonly kind: "prompt" | "news" | "deferred";
  readonly content: string | readonly ContentBlock[];
  /** The prompt source in the transcript. */
  readonly source: "sdk" | "typed" | "system";
  /** The first prompt, which a SessionStart hook gave: it has its own turn and its own result. */
  readonly first?: true;
  /** Delivered with the next prompt; does not start a turn. */
  readonly quiet?: true;
  /** The user interrupted it before it began: it does not run. */
  readonly interrupted?: true;
}

export type Inbox = ReturnType<typeof openInbox>;

/** The queue of a session. A notification joins the running turn; a prompt starts its own turn. */
export function openInbox() {
  const queue: InboxItem[] = [];
  let holds = 0;
  let wake: (() => void) | undefined;

  return {
    put(item: InboxItem): void {
      if (item.first === true) queue.unshift(item);
      else queue.push(item);
      wake?.();
    },
    /** Removes and returns the notifications that have arrived. */
    takeNotifications(): readonly InboxItem[] {
      const notifications = queue.filter(({ kind }) => kind === "news");
      for (const item of notifications) queue.splice(queue.indexOf(item), 1);
      return notifications;
    },
    /** The next item; undefined when the queue is empty and no more items can arrive. */
    async next(signal: AbortSignal): Promise<InboxItem | undefined> {
      for (;;) {
        signal.throwIfAborted();
        const index = queue.findIndex(({ quiet }) => quiet !== true);
        const [item] = index === -1 ? [] : queue.splice(index, 1);
        if (item !== undefined || holds === 0) return item;
        await new Promise<void>((resolve) => {
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    },
    /** Interrupts the prompt that would begin next. */
    interruptNext(): void {
      const index = queue.findIndex(({ kind, interrupted }) => kind !== "news" && interrupted !== true);
      const [item] = index === -1 ? [] : queue.splice(index, 1);
      if (item !== undefined) queue.splice(index, 0, { ...item, interrupted: true });
    },
    /** Keeps the inbox open for further items; returns the release. */
    hold(): () => void {
      holds += 1;
      let isHeld = true;
      return () => {
        if (isHeld) holds -= 1;
        isHeld = false;
        wake?.();
      };
    },
    /** Whether an item is queued or may still arrive. */
    get expects(): boolean {
      return queue.some(({ quiet }) => quiet !== true) || holds > 0;
    },
  };
}

/** A notification for the model about background work. */
export function taskNotification(fields: Readonly<Record<string, string>>, suffix = ""): InboxItem {
  const lines = Object.entries(fields).map(([name, value]) => tag(name, value));
  const content = `<task-notification>\n${lines.join("\n")}\n</task-notification>${suffix}`;
  return { kind: "news", content, source: "system" };
}

function tag(name: string, value: string): string {
  return `<${name}>${value}</${name}>`;
}

/** The notification for the model that a background command has ended. */
export function shellNotification(shell: BackgroundShell): InboxItem {
  const code = shell.exitCode();
  const status = shell.status();
  const result = code === undefined ? status : `${status} (exit code ${code})`;
  const notification = taskNotification({
    "task-id": shell.id,
    "tool-use-id": shell.toolUseId,
    "output-file": shell.outputPath,
    status,
    summary: `Background command "${shell.description || shell.command}" ${result}`,
  });
  // As with a killed subagent: the model gets it with the next prompt.
  return status === "killed" ? { ...notification, quiet: true } : notification;
}

/** Notifications about background work of an earlier process of the session that ended with the process, without a report. */
export function tasksLostAtRestart(messages: readonly Message[]): readonly InboxItem[] {
  const blocks = messages.flatMap(blocksIn);
  const texts = textIn(blocks);
  const failed = new Set(
    blocks.flatMap((block) => (block.type === "tool_result" && block.is_error === true ? block.tool_use_id : [])),
  );
  return blocks
    .filter((block) => block.type === "tool_use")
    .filter((call) => isInBackground(call) && !failed.has(call.id) && !texts.includes(tag("tool-use-id", call.id)))
    .map(({ id, name, input }) => {
      const call = `${name} "${String(input["description"] ?? input["command"] ?? "")}"`;
      const summary = `${call} ended with an earlier process of this session and will not report.`;
      return { ...taskNotification({ "tool-use-id": id, status: "killed", summary }), quiet: true };
    });
}

/** A subagent with a name is a teammate, which always runs in the background. */
function isInBackground({ name, input }: ToolUseBlock): boolean {
  return input["run_in_background"] === true || (name === "Agent" && typeof input["name"] === "string");
}

/** The running background tasks other than the thread itself, as the payload of Stop lists them. */
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
  const finishedHooks = engine.background.take(record.id);
  const answers = finishedHooks.map(({ id, hook, occasion, texts, record: { stdout, stderr, ended } }) => ({
    type: "async_hook_response",
    processId: id,
    hookName: occasion,
    hookEvent: hook.event,
    response: { hookSpecificOutput: { hookEventName: hook.event, additionalContext: texts.join("\n") } },
    stdout,
    stderr,
    exitCode: ended.by === "exit" ? ended.code : null,
  }));
  const notifications: Attachment[] = [];
  for (const { content } of inbox.takeNotifications()) {
    await thread.journal.note({ type: "queue-operation", operation: "remove" });
    notifications.push({ type: "queued_command", prompt: content, commandMode: "task-notification" });
  }
  await recordNotes(thread, [...answers, ...notifications]);
}
