import { randomUUID } from "node:crypto";
import { rmdir } from "node:fs/promises";
import { dirname } from "node:path";
import { endLeftovers, findLeftovers, type ProcessEnd, runTag } from "../../../exec/internal.ts";
import { errorCode } from "../../../files/internal.ts";

/** The commands of one session that outlive their call: background commands, and what other commands left running. */
export type BackgroundShells = ReturnType<typeof openBackgroundShells>;

export type BackgroundShell = ReturnType<typeof backgroundShell>;

/**
 * `onEnd` is called for each command that has ended: the host notifies the model. `hold` keeps the run from ending until the function
 * that it returns is called. `outerTag` is the tag of the session's processes.
 */
export function openBackgroundShells(
  onEnd: (shell: BackgroundShell) => void = () => undefined,
  hold: () => () => void = () => () => undefined,
  outerTag?: string,
) {
  const shells = new Map<string, BackgroundShell>();
  const holds = new Set<() => void>();
  const tag = [outerTag, randomUUID()].filter(Boolean).join("/");
  const folders = new Set<string>();
  return {
    /** Running and ended ones, in order of start. */
    list: (): readonly BackgroundShell[] => [...shells.values()],
    add(shell: BackgroundShell): void {
      shells.set(shell.id, shell);
      const release = hold();
      holds.add(release);
      void shell.done.then(() => {
        onEnd(shell);
        release();
        holds.delete(release);
      });
    },
    /** The session no longer waits for those that run. */
    stopWaiting(): void {
      for (const release of holds) release();
    },
    /** The tag of all processes of the session's commands: `HOOKLINE_RUN` in their environment. */
    tag,
    /** Names the session's own folder for outputs, inside a folder of this user. */
    writesTo: (folder: string): void => void folders.add(folder),
    /** Ends those that a subagent started. */
    endOf(owner: string): void {
      for (const shell of shells.values()) if (shell.owner === owner) void shell.end();
    },
    /** At the end of the session: ends all that run, and what any command left running. */
    async endAll(): Promise<void> {
      await Promise.all([...shells.values()].map((shell) => shell.end()));
      endLeftovers(await findLeftovers(runTag, `${tag}/`));
    },
    /** Removes output folders of the session that are empty. The user's own folder around them stays: another session may just use it. */
    async clearFolders(): Promise<void> {
      for (const folder of folders) await removeEmpty([folder, dirname(folder)]);
    },
  };
}

/** From the inside out, up to the first that is not empty: it contains an output to read later. */
async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const code = await rmdir(folder).then(() => undefined, errorCode);
    // A command may have removed it before us.
    if (code !== undefined && code !== "ENOENT") return;
  }
}

/** A command that was started in the background, and the call that started it. */
export function backgroundShell(
  id: string,
  shell: { readonly outputPath: string; readonly done: Promise<{ readonly ended: ProcessEnd }>; cancel(): void },
  input: { readonly command: string; readonly description?: string | undefined },
  context: { readonly toolUseId: string; readonly agentId?: string },
) {
  let ended: ProcessEnd | undefined;
  const done = shell.done.then((end) => {
    ended = end.ended;
  });
  return {
    id,
    toolUseId: context.toolUseId,
    owner: context.agentId,
    command: input.command,
    description: input.description || input.command,
    /** The file of everything it has printed. */
    outputPath: shell.outputPath,
    status(): "running" | "completed" | "failed" | "killed" {
      if (ended === undefined) return "running";
      if (ended.by === "exit") return ended.code === 0 ? "completed" : "failed";
      return ended.by === "cancelled" ? "killed" : "failed";
    },
    /** Undefined while it runs, and when a signal ended it. */
    exitCode: (): number | undefined => (ended?.by === "exit" ? ended.code : undefined),
    end(): Promise<void> {
      shell.cancel();
      return done;
    },
    /** Resolves when it has ended. */
    done,
  };
}
