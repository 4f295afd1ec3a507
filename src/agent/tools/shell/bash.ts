import { realpath, stat } from "node:fs/promises";
import { constants } from "node:os";
import { basename } from "node:path";
import { ignoringErrors, isInside } from "../../../files/internal.ts";
import { defined } from "../../../protocol/internal.ts";
import { inputIssue } from "../check-tool-input.ts";
import { inputSchema, objectSchema, plain, type SchemaValue } from "../json-schema.ts";
import { type Tool, type ToolContent, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import { backgroundShell } from "./background-shells.ts";
import { type EnvFileCheck, maxShellOutputBytes, openEnvFileCheck, type ShellEnd, startShell } from "./run-shell.ts";
import {
  discardOutput,
  meaningsOfOne,
  persistedText,
  readableSize,
  readOutput,
  shellTraits,
  shortenError,
} from "./shell-output.ts";

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;

/** One for each session: it remembers which env files cannot be used. */
export function bashTool(): Tool {
  const envFiles = openEnvFileCheck();
  return {
    name: "Bash",
    description:
      "Runs a command in bash and returns its output. The working directory is kept between commands; variables are not. A command may run for two minutes, or for `timeout` milliseconds (ten minutes at most); with `run_in_background` it runs without a limit.",
    readOnly: false,
    inputSchema: bashInput,
    responseSchema: bashResponse,
    render: renderBash,
    refuse: (input) => (hidden.test(String(input["command"])) ? hiddenCharacters : undefined),
    run: async (given, context) => {
      const input = given as BashInput;
      if (input.run_in_background) return runInBackground(input, context, envFiles);
      return runCommand(input, context, envFiles);
    },
  };
}

// A user who is asked must see all that will run: no character may move the cursor over it.
const hidden = /[\0-\x08\x0b-\x1f\x7f]/;
const hiddenCharacters = inputIssue(
  "command",
  "command contains control characters that would be hidden in the approval dialog",
);

/** Starts a command in the background. Its output is a file that can be read at any time. */
async function runInBackground(input: BashInput, context: ToolContext, check: EnvFileCheck): Promise<ToolResult> {
  const envFiles = await check.usable(context);
  const shell = await startShell({ command: input.command, envFiles, timeoutMs: Number.POSITIVE_INFINITY }, context);
  const id = basename(shell.outputPath, ".output");
  context.shells.add(backgroundShell(id, shell, input, context));
  const nothing = { stdout: "", stderr: "", interrupted: false, isImage: false, noOutputExpected: false };
  const content = `Command running in background with ID: ${id}. Output is being written to: ${shell.outputPath}. You will be notified when it completes. To check interim output, use Read on that file path.`;
  return { isError: false, content, response: { ...nothing, backgroundTaskId: id } };
}

async function runCommand(input: BashInput, context: ToolContext, envFiles: EnvFileCheck): Promise<ToolResult> {
  await leaveGoneFolder(context);
  const timeoutMs = Math.min(Math.max(1, input.timeout ?? defaultTimeoutMs), maxTimeoutMs);
  const { shell, end } = await runOnce(input, timeoutMs, context, envFiles);
  const code = end.ended.by === "exit" ? end.ended.code : undefined;
  const { silent, last } = shellTraits(input.command, context.cwd());
  const meaning = code === 1 ? meaningsOfOne.get(last) : undefined;
  if (code !== 0 && meaning === undefined) return failure(end, timeoutMs, await discardOutput(shell.outputPath));
  const { text, saved } = await readOutput(shell.outputPath, context.paths);
  const note = end.folder === undefined ? "" : await followFolder(end.folder, context);
  return toolSuccess({
    stdout: text,
    stderr: note,
    interrupted: false,
    isImage: /^data:image\/[\w.+-]+;base64,/i.test(text),
    ...defined({ returnCodeInterpretation: meaning }),
    noOutputExpected: silent,
    ...defined({ persistedOutputPath: saved?.path, persistedOutputSize: saved?.sizeBytes }),
  });
}

/** Nothing can be started in a folder that no longer exists; the session returns to its project folder. */
async function leaveGoneFolder(context: ToolContext): Promise<void> {
  if ((await ignoringErrors(["ENOENT", "ENOTDIR"], stat(context.cwd()))) !== undefined) return;
  await context.moveTo(context.worktrees.current()?.path ?? context.projectRoot);
}

/** An env file that ends the shell is skipped, and the command, which was not reached, is run without it. */
async function runOnce({ command }: BashInput, timeoutMs: number, context: ToolContext, envFiles: EnvFileCheck) {
  for (;;) {
    const options = { command, envFiles: await envFiles.usable(context), timeoutMs, signal: context.signal };
    const shell = await startShell(options, context);
    const end = await shell.done;
    if (end.stoppedIn === undefined || end.ended.by !== "exit") return { shell, end };
    await envFiles.drop(end.stoppedIn, context);
  }
}

function failure({ ended, flooded }: ShellEnd, timeoutMs: number, text: string): ToolResult {
  const failed = (...lines: readonly string[]) =>
    toolError(shortenError([...lines, text].filter(Boolean).join("\n")), !flooded && ended.by === "cancelled");
  if (flooded) return failed("Exit code 143", `Command printed more than ${readableSize(maxShellOutputBytes)}`);
  switch (ended.by) {
    case "exit":
      return failed(`Exit code ${ended.code}`);
    case "signal":
      return failed(`Exit code ${128 + constants.signals[ended.signal as NodeJS.Signals]}`);
    case "timeout":
      return failed("Exit code 143", `Command timed out after ${duration(timeoutMs)}`);
    case "cancelled":
      return failed("Command was aborted before completion");
    case "not-started":
      return toolError(`The command could not be started: ${ended.why}`);
  }
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (ms < 1_000) return `${ms}ms`;
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}

/** The session follows the command's folder if that is inside its folders; otherwise it stays, and the note reports it. */
async function followFolder(folder: string, context: ToolContext): Promise<string> {
  if (folder === (await realOf(context.cwd())) || !(await ignoringErrors(["ENOENT"], stat(folder)))?.isDirectory())
    return "";
  const home = context.worktrees.current()?.path ?? context.projectRoot;
  const roots = await Promise.all([home, ...context.directories()].map(realOf));
  const inside = roots.some((root) => isInside(folder, root));
  await context.moveTo(folder, inside ? undefined : home);
  return inside ? "" : `\nShell cwd was reset to ${home}`;
}

/** The shell reports real paths; a session may have begun at a link. */
async function realOf(folder: string): Promise<string> {
  return (await ignoringErrors(["ENOENT", "ENOTDIR"], realpath(folder))) ?? folder;
}

const bashInput = inputSchema(
  { command: { type: "string", description: "The command to run" } },
  {
    timeout: { type: "number", description: "The time limit in milliseconds, 600000 at most" },
    description: { type: "string", description: "What it does, in a few words" },
    run_in_background: { type: "boolean", description: "Continue without waiting for its end" },
    dangerouslyDisableSandbox: { type: "boolean", description: "Has no effect: there is no sandbox" },
  },
);

type BashInput = SchemaValue<typeof bashInput>;

const bashResponse = objectSchema(
  { stdout: plain.string, stderr: plain.string, interrupted: plain.boolean, isImage: plain.boolean },
  {
    returnCodeInterpretation: plain.string,
    noOutputExpected: plain.boolean,
    backgroundTaskId: plain.string,
    persistedOutputPath: plain.string,
    persistedOutputSize: plain.number,
  },
);

type BashResponse = SchemaValue<typeof bashResponse>;

function renderBash(response: unknown): ToolContent {
  const { stdout, stderr, isImage, persistedOutputPath, persistedOutputSize } = response as BashResponse;
  const image = isImage ? /^data:(image\/[\w.+-]+);base64,([A-Za-z0-9+/=\s]+)$/i.exec(stdout) : null;
  if (image?.[1] !== undefined && image[2] !== undefined) {
    return [{ type: "image", source: { type: "base64", data: image[2], media_type: image[1].toLowerCase() } }];
  }
  const shown =
    persistedOutputPath === undefined ? stdout : persistedText(stdout, persistedOutputPath, persistedOutputSize ?? 0);
  const text = [shown, stderr.trim()].filter((part) => part !== "").join("\n");
  return text === "" ? "(Bash completed with no output)" : text;
}
