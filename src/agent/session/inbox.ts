import { blocksIn, type ContentBlock, type Message, type ToolUseBlock, textIn } from "../../models/internal.ts";
import type { BackgroundShell } from "../tools/shell/background-shells.ts";

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
  /** The user interrupted it before it began: it does not run. Deferred calls get a result with that reason. */
  readonly interrupted?: true;
}

export type Inbox = ReturnType<typeof openInbox>;

/** The queue of a session. A notification joins the running turn; a prompt starts its own turn. */
export function openInbox() {
  const queue: InboxItem[] = [];
  let holds = 0;
  let wake: (() => void) | undefined;
  const startsTurn = ({ quiet }: InboxItem): boolean => quiet !== true;

  return {
    put(item: InboxItem): void {
      // Deferred calls are first in the queue and stay there: they need results before the model is called.
      if (item.first === true) queue.splice(queue[0]?.kind === "deferred" ? 1 : 0, 0, item);
      else queue.push(item);
      wake?.();
    },
    /** Removes and returns the notifications that have arrived. */
    takeNotifications(): readonly InboxItem[] {
      const notifications = queue.filter(({ kind }) => kind === "news");
      for (const item of notifications) queue.splice(queue.indexOf(item), 1);
      return notifications;
    },
    /** Waits until an item can be taken or no more items can arrive. Rejects when the session ends. */
    async wait(signal: AbortSignal): Promise<void> {
      const onAbort = (): void => wake?.();
      signal.addEventListener("abort", onAbort);
      try {
        while (!signal.aborted && !queue.some(startsTurn) && holds > 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
      signal.throwIfAborted();
    },
    /** Removes and returns the next item. The caller starts its turn at once, so that an interrupt always finds one of the two. */
    take(): InboxItem | undefined {
      const index = queue.findIndex(startsTurn);
      return index === -1 ? undefined : queue.splice(index, 1)[0];
    },
    /** Interrupts the prompt that would begin next. Notifications that have arrived wait for another prompt. */
    interruptNext(): void {
      const next = queue.find(({ kind, interrupted }) => kind !== "news" && interrupted !== true);
      for (const [index, item] of queue.entries()) {
        if (item === next) queue[index] = { ...item, interrupted: true };
        else if (item.kind === "news") queue[index] = { ...item, quiet: true };
      }
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
      return queue.some(startsTurn) || holds > 0;
    },
  };
}

/**
 * A notification for the model about background work. One about killed work starts no turn: the model gets it with the next prompt.
 */
export function taskNotification(fields: Readonly<Record<string, string>>, suffix = ""): InboxItem {
  const content = `<task-notification>\n${tags(fields, "\n")}\n</task-notification>${suffix}`;
  return { kind: "news", content, source: "system", ...(fields["status"] === "killed" ? { quiet: true } : {}) };
}

/** The fields as elements, in order. */
export function tags(fields: Readonly<Record<string, string | number>>, separator = ""): string {
  return Object.entries(fields)
    .map(([name, value]) => `<${name}>${value}</${name}>`)
    .join(separator);
}

/** The notification for the model that a background command has ended. */
export function shellNotification(shell: BackgroundShell): InboxItem {
  const code = shell.exitCode();
  const status = shell.status();
  const result = code === undefined ? status : `${status} (exit code ${code})`;
  return taskNotification({
    "task-id": shell.id,
    "tool-use-id": shell.toolUseId,
    "output-file": shell.outputPath,
    status,
    summary: `Background command "${shell.description}" ${result}`,
  });
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
    .filter((call) => isInBackground(call) && !failed.has(call.id) && !texts.includes(tags({ "tool-use-id": call.id })))
    .map(({ id, name, input }) => {
      const call = `${name} "${String(input["description"] ?? input["command"] ?? "")}"`;
      const summary = `${call} ended with an earlier process of this session and will not report.`;
      return taskNotification({ "tool-use-id": id, status: "killed", summary });
    });
}

/** A subagent with a name is a teammate, which always runs in the background. */
function isInBackground({ name, input }: ToolUseBlock): boolean {
  return input["run_in_background"] === true || (name === "Agent" && typeof input["name"] === "string");
}
