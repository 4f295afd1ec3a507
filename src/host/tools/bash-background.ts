import { basename } from "node:path";
import type { Ended } from "../../exec/index.ts";
import type { BackgroundShell } from "./background-shells.ts";
import type { BashInput } from "./bash-words.ts";
import { type ShellEnd, type StartedShell, startShell } from "./shell-run.ts";
import type { ToolContext, ToolResult } from "./tool.ts";

/** Starts a command that goes on by itself. Its output is a file that can be read at any time. */
export async function startInBackground(
  input: BashInput,
  envFiles: readonly string[],
  context: ToolContext,
): Promise<ToolResult> {
  const shell = await startShell({ command: input.command, envFiles, timeoutMs: Number.POSITIVE_INFINITY }, context);
  const id = basename(shell.outputPath, ".output");
  context.shells.add(backgroundShell(id, shell, input, context));
  const response = {
    stdout: "",
    stderr: "",
    interrupted: false,
    isImage: false,
    noOutputExpected: false,
    backgroundTaskId: id,
  };
  const content = `Command running in background with ID: ${id}. Output is being written to: ${shell.outputPath}. You will be notified when it completes. To check interim output, use Read on that file path.`;
  return { isError: false, content, response };
}

function backgroundShell(id: string, shell: StartedShell, input: BashInput, context: ToolContext): BackgroundShell {
  let ended: Ended | undefined;
  const done = shell.done.then((end: ShellEnd) => {
    ended = end.ended;
  });
  return {
    id,
    toolUseId: context.toolUseId,
    command: input.command,
    description: input.description ?? input.command,
    outputPath: shell.outputPath,
    status() {
      if (ended === undefined) return "running";
      if (ended.by === "exit") return ended.code === 0 ? "completed" : "failed";
      return ended.by === "cancelled" ? "killed" : "failed";
    },
    exitCode: () => (ended?.by === "exit" ? ended.code : undefined),
    end() {
      shell.cancel();
      return done;
    },
    done,
  };
}
