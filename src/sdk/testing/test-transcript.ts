import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Session } from "../../sessions/internal.ts";
import { checkOptions, requireOptions } from "../app/argument-checks.ts";
import { openTranscript } from "../app/run-environment.ts";

/**
 * A transcript for a test, step by step, in the form in which Claude Code writes it. Give it to `testClient(app, { transcript })`.
 *
 * @example
 * const transcript = testTranscript()
 *   .prompt("Fix the bug")
 *   .tool("Edit", { file_path: "a.ts", old_string: "1", new_string: "2" })
 *   .tool("Bash", { command: "npm test" }, { error: "1 test failed" })
 *   .text("Done.");
 */
export interface TestTranscript {
  /** What the user typed. A new turn begins. */
  prompt(text: string): TestTranscript;
  /** One call of a tool and its result: `ok` by default. `error` is the text of a call that failed. */
  tool(name: string, input: Readonly<Record<string, unknown>>, result?: TestToolResult): TestTranscript;
  /** A text of the agent. */
  text(text: string): TestTranscript;
  /** A line of your own, such as `{ type: "system", subtype: "…" }`. Its place in the session and its time are filled in. */
  line(fields: Readonly<Record<string, unknown>>): TestTranscript;
  /** The lines so far, as a file has them. */
  jsonl(): string;
  /** Writes the lines to a file, for code that reads `transcriptPath` itself. Gives the path. */
  write(path: string): string;
  /** The session as `ctx.transcript` gives it. Its file is temporary and goes when the process ends. */
  open(): Promise<Session>;
}

/** The result of a tool call in a test transcript, passed to `TestTranscript.tool`. */
export type TestToolResult =
  | string
  | { readonly error: string }
  /** `response` is what `toolUseResult` holds: the tool's own data. */
  | { readonly text?: string; readonly response: unknown };

/** Options of `testTranscript`. */
export interface TestTranscriptOptions {
  /** Default: a UUID of zeros. */
  readonly sessionId?: string;
  /** The directory of the session. Default: `/home/dev/project`. */
  readonly cwd?: string;
  /** The time of the first line; each further one is a second later. */
  readonly startedAt?: Date;
}

/** Begins a transcript for a test. */
export function testTranscript(options: TestTranscriptOptions = {}): TestTranscript {
  checkOptions(options, ["sessionId", "cwd", "startedAt"], "testTranscript");
  const { sessionId = "00000000-0000-4000-8000-000000000000", cwd = "/home/dev/project" } = options;
  const beganMs = (options.startedAt ?? new Date("2026-01-01T00:00:00.000Z")).getTime();
  const lines: Readonly<Record<string, unknown>>[] = [];
  const add = (fields: Readonly<Record<string, unknown>>) => {
    const at = lines.length;
    lines.push({
      parentUuid: at === 0 ? null : uuidOf(at - 1),
      isSidechain: false,
      uuid: uuidOf(at),
      timestamp: new Date(beganMs + at * 1_000).toISOString(),
      userType: "external",
      entrypoint: "cli",
      cwd,
      sessionId,
      version: "2.1.325",
      ...fields,
    });
    return transcript;
  };
  const say = (block: object, stop: string) => add({ type: "assistant", ...messageOf(lines.length, block, stop) });
  const transcript: TestTranscript = {
    prompt: (text) => add({ type: "user", promptSource: "typed", message: { role: "user", content: text } }),
    text: (text) => say({ type: "text", text }, "end_turn"),
    tool(name, input, result = "ok") {
      checkResult(name, result);
      const id = `toolu_${lines.length}`;
      say({ type: "tool_use", id, name, input }, "tool_use");
      return add({ type: "user", sourceToolAssistantUUID: uuidOf(lines.length - 1), ...resultOf(id, result) });
    },
    line: add,
    jsonl: () => lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    write(path) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, transcript.jsonl());
      return path;
    },
    open: () => openTranscript(transcript.write(join(temporaryFolder(), `${sessionId}.jsonl`))),
  };
  return transcript;
}

function uuidOf(at: number): string {
  return `00000000-0000-4000-8000-${at.toString(16).padStart(12, "0")}`;
}

function messageOf(at: number, block: object, stop: string): object {
  const usage = { input_tokens: 100, output_tokens: 10 };
  const about = { id: `msg_${at}`, type: "message", role: "assistant", model: "claude-sonnet-5" };
  return {
    requestId: `req_${at}`,
    message: { ...about, content: [block], stop_reason: stop, stop_sequence: null, usage },
  };
}

/** A result without text, error or response would be an empty one. */
function checkResult(tool: string, result: TestToolResult): void {
  if (typeof result === "string") return;
  const of = `the result of ${tool} in testTranscript`;
  checkOptions(result, ["error", "text", "response"], of);
  if (!("error" in result)) requireOptions(result, ["response"], of);
}

function resultOf(id: string, result: TestToolResult): object {
  const block = (content: string, more: object = {}) => ({
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...more }] },
  });
  if (typeof result === "string") return { ...block(result), toolUseResult: result };
  if ("error" in result) {
    return { ...block(result.error, { is_error: true }), toolUseResult: `Error: ${result.error}` };
  }
  const { response, text = typeof response === "string" ? response : JSON.stringify(response) } = result;
  return { ...block(text), toolUseResult: response };
}

/** Made by this process, to be removed when it ends. One listener for all of them: a test may open many. */
const temporaryFolders: string[] = [];

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "hookline-transcript-"));
  if (temporaryFolders.length === 0)
    process.once("exit", () => {
      for (const one of temporaryFolders) rmSync(one, { recursive: true, force: true });
    });
  temporaryFolders.push(folder);
  return folder;
}
