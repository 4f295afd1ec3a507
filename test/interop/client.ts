import { spawn } from "node:child_process";
import { join } from "node:path";
import { type LoggedRequest, type Script, startScriptedApi } from "../scripted-api/index.ts";
import { converse, type PutQuestion, type ScriptedUser } from "./converse.ts";
import { type HookRun, hookRunsOf, linesOf, type ResultLine, resultsOf, type StreamLine } from "./stream.ts";
import { type World, writeFiles } from "./world.ts";

/** How to run Claude Code once, headless. */
export interface ClientCall {
  /** Path of Claude Code's binary, as `findClient` gives it. */
  readonly client: string;
  readonly world: World;
  /** What the model answers. */
  readonly script: Script;
  /** The prompt; none for a run that only continues a session. */
  readonly prompt?: string;
  /** Session to continue; its transcript must be in the home of the world. */
  readonly resume?: string;
  /** Given to Claude Code as a `--settings` file. */
  readonly settings?: object;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Answers permission questions; with a user Claude Code asks instead of refusing what no rule allows. */
  readonly user?: ScriptedUser;
  /** After this long Claude Code's process group is ended. */
  readonly timeoutMs?: number;
}

/** What was seen from outside. */
export interface ClientRun {
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  readonly lines: readonly StreamLine[];
  readonly results: readonly ResultLine[];
  readonly hookRuns: readonly HookRun[];
  /** What the model was asked, side requests included. */
  readonly requests: readonly LoggedRequest[];
  readonly sessionId: string | undefined;
  /** The questions to the user. */
  readonly questions: readonly PutQuestion[];
  readonly stderr: string;
}

/**
 * Runs Claude Code once, in an environment built from empty, against a scripted API on loopback.
 * Contract: resolves within `timeoutMs` plus two seconds, and leaves no process of Claude Code's group behind.
 */
export async function runClient(call: ClientCall): Promise<ClientRun> {
  const api = await startScriptedApi(call.script);
  try {
    if (call.settings) await writeFiles(call.world.root, { "settings.json": JSON.stringify(call.settings, null, 2) });
    const child = spawn(call.client, argumentsOf(call), {
      cwd: call.world.project,
      env: environmentOf(call, api.url),
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const ended = await converse(child, call);
    const lines = linesOf(ended.stdout);
    return {
      exitCode: ended.exitCode,
      timedOut: ended.timedOut,
      lines,
      results: resultsOf(lines),
      hookRuns: hookRunsOf(lines),
      requests: api.requests,
      sessionId: lines.find((line) => line.subtype === "init")?.session_id ?? lines[0]?.session_id,
      questions: ended.questions,
      stderr: ended.stderr,
    };
  } finally {
    await api.close();
  }
}

function argumentsOf(call: ClientCall): string[] {
  return [
    "-p",
    // The prompt comes right after -p: options that take lists would take it.
    ...(call.prompt === undefined || call.user ? [] : [call.prompt]),
    ...["--output-format", "stream-json", "--verbose", "--include-hook-events"],
    ...(call.user ? ["--input-format", "stream-json", "--permission-prompt-tool", "stdio"] : []),
    ...(call.settings ? ["--settings", join(call.world.root, "settings.json")] : []),
    ...(call.resume ? ["--resume", call.resume] : []),
    ...(call.args ?? []),
  ];
}

function environmentOf(call: ClientCall, url: string): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: call.world.home,
    // Where Claude Code keeps the output of background tasks; otherwise it would stay behind in the machine's own.
    CLAUDE_CODE_TMPDIR: call.world.root,
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "scripted",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    ENABLE_TOOL_SEARCH: "false",
    ...call.env,
  };
}
