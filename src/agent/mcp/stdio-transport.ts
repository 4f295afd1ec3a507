import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import {
  endLeftovers,
  type FinishedProcess,
  findLeftovers,
  type ProcessOptions,
  type RunningProcess,
  runTag,
  startProcess,
} from "../../exec/internal.ts";

export interface StdioServer extends Pick<ProcessOptions, "cwd" | "env"> {
  readonly command: string;
  readonly args: readonly string[];
}

/** A transport whose server runs in its own process group; closing it ends the whole tree. */
export interface StdioTransport extends Transport {
  /** The end of what the server wrote to stderr, for messages about its exit. */
  stderrEnd(): string;
}

export function stdioTransport(server: StdioServer): StdioTransport {
  const tag = { name: runTag, value: [server.env[runTag], randomUUID()].filter(Boolean).join("/") };
  let running: RunningProcess | undefined;
  let unanswered = 0;
  let watch: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;

  const transport: StdioTransport = { start: begin, send, close, stderrEnd };

  async function begin(): Promise<void> {
    running = startProcess(
      { form: "exec", file: server.command, args: server.args },
      {
        cwd: server.cwd,
        env: server.env,
        tag,
        keepInputOpen: true,
        timeoutMs: Number.POSITIVE_INFINITY,
        graceMs: 500,
        capBytes: maxLineBytes,
        onLine: (line, whole) => {
          if (whole) receive(line);
          return whole ? "take" : "keep";
        },
      },
    );
    watch = setInterval(endFlood, checkEveryMs);
    watch.unref();
    void running.done.then(gone);
    if (running.pid === undefined) throw new Error(whyOf(await running.done));
  }

  /** A line over the limit cannot be read, and nothing after it either: the connection is closed. */
  function endFlood(): void {
    if (unanswered > 0 && Buffer.byteLength(running?.soFar().stdout ?? "") >= maxLineBytes) running?.cancel();
  }

  function receive(line: string): void {
    if (line.trim() === "") return;
    try {
      const message = JSON.parse(line) as JSONRPCMessage;
      if (!("method" in message)) unanswered = Math.max(0, unanswered - 1);
      transport.onmessage?.(message);
    } catch (cause) {
      transport.onerror?.(new Error(`it wrote a line that is not a message: ${line.slice(0, 200)}`, { cause }));
    }
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    if (running === undefined || closing !== undefined) throw new Error("the server is not connected");
    if ("method" in message && "id" in message) unanswered += 1;
    running.write(`${JSON.stringify(message)}\n`);
  }

  function gone(finished: FinishedProcess): void {
    clearInterval(watch);
    if (finished.ended.by === "not-started") return;
    transport.onerror?.(new Error(whyOf(finished)));
    transport.onclose?.();
  }

  function close(): Promise<void> {
    closing ??= end();
    return closing;
  }

  /** Ends the input, then sends signals; what the server left running is ended too. */
  async function end(): Promise<void> {
    if (running === undefined) return;
    running.endInput();
    await Promise.race([running.done, sleep(endOfInputMs)]);
    running.cancel();
    await running.done;
    endLeftovers(await findLeftovers(tag.name, tag.value));
  }

  function stderrEnd(): string {
    return (running?.soFar().stderr ?? "").trim().slice(-500);
  }

  return transport;
}

const maxLineBytes = 8 * 2 ** 20;
const checkEveryMs = 1_000;
const endOfInputMs = 250;

function whyOf({ ended }: FinishedProcess): string {
  switch (ended.by) {
    case "not-started":
      return ended.why;
    case "exit":
      return `it ended with exit code ${ended.code}`;
    case "signal":
      return `it was ended by ${ended.signal}`;
    default:
      return "it was ended";
  }
}

/**
 * The part of our environment that a server gets: enough to find programs and a home, but no keys. Anything else
 * it needs is in its configuration, where the user can see it.
 */
export function serverEnv(env: ProcessOptions["env"], cwd: string): ProcessOptions["env"] {
  const handed = Object.entries(env).filter(([name]) => plainNames.has(name) || /^LC_/.test(name));
  return { ...Object.fromEntries(handed), CLAUDE_PROJECT_DIR: cwd };
}

const usual = "PATH HOME USER LOGNAME SHELL TERM LANG TZ TMPDIR";
const xdg = "XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME";
/** Programs on Windows need these. */
const windows =
  "APPDATA HOMEDRIVE HOMEPATH LOCALAPPDATA PATHEXT PROCESSOR_ARCHITECTURE PROGRAMFILES SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE";
/** For traces, the recursion guard and the search for processes that were left running. */
const ours = "TRACEPARENT TRACESTATE HOOKLINE_DEPTH HOOKLINE_RUN";

const plainNames: ReadonlySet<string> = new Set(`${usual} ${xdg} ${windows} ${ours}`.split(" "));
