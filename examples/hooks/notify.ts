// Tells you when the agent waits for you or is done: a desktop note, or a webhook. It is sent as a task, so nothing waits for it.
// app.include(notify({ webhook: "https://example.org/hooks/agent" }));
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Blueprint, blueprint } from "hookline/sdk";

export interface NotifyOptions {
  /** Gets `{ title, text }` as JSON instead of a note on this desktop. */
  readonly webhook?: string;
  /** The program that shows a note; title and text follow its words. */
  readonly command?: readonly [program: string, ...words: string[]];
}

interface Note {
  readonly title: string;
  readonly text: string;
}

export function notify(options: NotifyOptions = {}): Blueprint {
  const part = blueprint("notify", options, { webhook: "string", command: "string[]" });
  const { webhook, command = desktop(process.platform) } = options;
  const send = part.task<Note>("send", async ({ title, text }, { signal }) => {
    if (webhook === undefined) {
      const [program, ...words] = command;
      await promisify(execFile)(program, [...words, title, text], { signal });
      return;
    }
    const headers = { "content-type": "application/json" };
    const reply = await fetch(webhook, { method: "POST", headers, body: JSON.stringify({ title, text }), signal });
    if (!reply.ok) throw new Error(`The webhook answered ${reply.status}`);
  });
  const helper = { name: "notify", onFailure: "continue" } as const;
  // A newer note takes the place of one that is still waiting.
  part.onNotification(helper, async ({ message }, { tasks, projectDir }) => {
    await tasks.add(send, { title: `Waiting in ${projectDir}`, text: message });
  });
  part.onStop(helper, async ({ lastAssistantMessage = "" }, { tasks, projectDir }) => {
    await tasks.add(send, { title: `Done in ${projectDir}`, text: lastAssistantMessage.slice(0, 300) });
  });
  return part;
}

function desktop(platform: string): readonly [string, ...string[]] {
  if (platform !== "darwin") return ["notify-send", "--"];
  const script = "on run {title, body}\ndisplay notification body with title title\nend run";
  return ["osascript", "-e", script];
}
