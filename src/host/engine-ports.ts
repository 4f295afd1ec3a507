import { type Notice, type Ports, wrapContext } from "../engine/index.ts";
import { inTurn } from "./asking.ts";
import { noteInTranscript } from "./channels.ts";
import { hookPorts } from "./hook-ports/lend.ts";
import type { Incoming } from "./inbox.ts";
import type { Threads } from "./thread.ts";

/** What the agent provides to the engine. */
export function enginePorts(threads: Threads, interactive: boolean): Ports {
  const main = () => threads.main;
  return {
    ...hookPorts(main),
    judge: (...call) => main().session.permissions.judgeAllowed(...call),
    mcp: async (call, signal) => {
      for (const { port } of main().session.servers) {
        const result = await port(call, signal);
        if (result.connected) return result;
      }
      return { connected: false };
    },
    ...(interactive ? { wake: ({ hook, text }) => main().session.inbox.put(wakeUp(hook.event, text)) } : {}),
    observe: (notice) => {
      if (notice.kind === "snapshot-changed") void main().session.surroundings.settingsChanged(main());
      const words = stopHookWords(notice);
      if (words !== undefined) noteInTranscript(main(), words);
    },
    asker: async (question, signal) => {
      const { person } = main().session.options;
      if (person?.question === undefined) return undefined;
      return inTurn(main(), signal, async () => person.question?.(question, signal));
    },
  };
}

/** A background hook wants the agent's attention: a prompt of its own when nothing runs, else part of the turn. */
function wakeUp(event: string, text: string): Incoming {
  const content = `<task-notification>
<summary>Stop hook feedback</summary>
</task-notification>
${wrapContext(`Stop hook blocking error from command "${event}": ${text}`, "system-reminder")}`;
  return { kind: "news", content, source: "system" };
}

/** Stop hooks that were added at run time leave a trace in the transcript. */
function stopHookWords(notice: Notice): string | undefined {
  switch (notice.kind) {
    case "stop-hook-added":
      return `Stop hook added: ${notice.hook.name}`;
    case "stop-hook-removed":
      return `Stop hook removed: ${notice.hook.name}`;
    case "stop-hook-ran":
      return `Stop hook ran: ${notice.hook.name} (${notice.record.verdict.kind === "deny" ? "goes on" : "no objection"})`;
    default:
      return undefined;
  }
}
