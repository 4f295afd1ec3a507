import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { daemonStatus, serve, startDaemon, stopDaemon } from "../../daemon/internal.ts";
import { type DaemonRecord, packageFile, packageVersion } from "../../files/internal.ts";
import { escapeControls, escapeLines, Problem } from "../../protocol/internal.ts";
import { hasOpenJobs, recordPayload } from "../../sdk/internal.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { defaultHooksFile } from "../command-line/input.ts";
import { positiveNumber } from "../options/option-values.ts";
import { jsonText } from "../print/terminal.ts";

export const command: Command = {
  usage: "[HOOKS_FILE] [--foreground | --stop | --status] [--idle-minutes N] [--record DIR] [--json]",
  about: `Keeps a hooks file loaded in a local daemon that answers in 1 to 3 ms.

HOOKS_FILE defaults to .claude/hooks.ts (.mts, .js, .mjs). There is one daemon per hooks file; it listens on 127.0.0.1 only and requires
its token. A changed file is loaded before the next call. The daemon exits after 30 minutes without a call, but not while an agent that it
has answered is running. Without --foreground it runs in the background and continues after this command exits.`,
  mostArguments: 1,
  options: {
    foreground: { excludes: ["stop", "status"], about: "run in the foreground until stopped, for service managers" },
    stop: { excludes: ["status"], about: "stop the daemon after its running calls" },
    status: { about: "print whether a daemon is running; exit with 4 when it is not" },
    "idle-minutes": { value: "N", about: "exit after this time without a call (default: 30)" },
    record: { value: "DIR", about: "save every payload as a test fixture, with secrets masked" },
    json: { about: "print JSON" },
  },
  examples: ["hookline serve", "hookline serve .claude/hooks.ts --foreground", "hookline serve --stop"],
  async run(call, io) {
    const [file = defaultHooksFile(io.cwd)] = call.operands;
    // The daemon of a deleted file can still be running.
    if (call.flag("stop")) return stop(file, call, io);
    if (call.flag("status")) return status(file, call, io);
    positiveNumber(call, "idle-minutes");
    if (!statSync(resolve(io.cwd, file), { throwIfNoEntry: false })?.isFile()) {
      throw new Problem("cli/bad-input", `The hooks file ${file} does not exist. Create one with hookline init.`);
    }
    if (call.flag("foreground")) return foreground(file, call, io);
    const args = ["serve", resolve(io.cwd, file), "--foreground", ...passedOn(call, io)];
    const program = packageFile("dist/cli/bin.cjs");
    const record = await startDaemon(file, { env: io.env, signal: io.signal, command: [program, ...args] });
    await printDaemon(record, call, io);
    if (record.sourceHash === "") await io.err(`hookline: ${notLoaded(file)}\n`);
    const { compileOwnClient } = await import("../options/install-options.ts");
    await compileOwnClient(io);
    return 0;
  },
};

async function foreground(file: string, call: ParsedCall, io: Io): Promise<number> {
  const idle = positiveNumber(call, "idle-minutes");
  const record = call.text("record");
  const folder = record === undefined ? undefined : resolve(io.cwd, record);
  const warn = (line: string) => void io.err(`hookline: ${escapeLines(line)}\n`);
  // When in doubt the daemon stays: without it, entries of type http are disabled.
  const hasTasks = () =>
    hasOpenJobs(file, io.env).catch((error: unknown) => {
      warn(`Cannot determine whether tasks are running: ${String(error)}`);
      return true;
    });
  const ended = await serve({
    hooksFile: file,
    env: io.env,
    version: packageVersion(),
    thread: pathToFileURL(packageFile("dist/cli/run/worker-thread.cjs")),
    complain: warn,
    signal: io.signal,
    ready: (record) => void printDaemon(record, call, io),
    busy: hasTasks,
    ...(idle === undefined ? {} : { idleMs: idle * 60_000 }),
    ...(folder === undefined ? {} : { keep: (payload: string) => recordPayload(folder, payload, warn) }),
  });
  if (ended === "left") return 0;
  await io.err(`hookline: another daemon serves ${file}. Stop it with hookline serve ${file} --stop.\n`);
  return 3;
}

/** The options of the background process. It has another working directory, so paths are absolute. */
function passedOn(call: ParsedCall, { cwd }: Io): string[] {
  const idle = call.text("idle-minutes");
  const record = call.text("record");
  return [
    ...(idle === undefined ? [] : ["--idle-minutes", idle]),
    ...(record === undefined ? [] : ["--record", resolve(cwd, record)]),
  ];
}

async function stop(file: string, call: ParsedCall, io: Io): Promise<number> {
  const stopped = await stopDaemon(file, { env: io.env, signal: io.signal });
  const text = stopped ? "stopped the daemon" : "no daemon is running";
  await io.out(call.flag("json") ? jsonText({ stopped }, 0) : `${text} for ${escapeControls(file)}\n`);
  return 0;
}

async function status(file: string, call: ParsedCall, io: Io): Promise<number> {
  const daemon = await daemonStatus(file, { env: io.env });
  if (call.flag("json")) await io.out(jsonText(daemon ?? null, 0));
  else if (daemon === undefined) await io.out(`no daemon is running for ${escapeControls(file)}\n`);
  else {
    const since = new Date(daemon.since).toISOString();
    await io.out(`pid ${daemon.pid}, port ${daemon.port}, version ${daemon.version}, since ${since}\n`);
  }
  return daemon === undefined ? 4 : 0;
}

/** The daemon waits for the file to be fixed, so the user is warned here. */
function notLoaded(file: string): string {
  return `${file} does not load; until it is fixed, the failure mode decides every event. See: hookline test --hooks ${file} --event Stop`;
}

/** Never prints the token, since output can end up in logs. */
async function printDaemon(record: DaemonRecord, call: ParsedCall, io: Io): Promise<void> {
  const { pid, port, hooksFile, sourceHash } = record;
  const text = `serving ${escapeControls(hooksFile)} on 127.0.0.1:${port}, pid ${pid}\n`;
  await io.out(call.flag("json") ? jsonText({ pid, port, hooksFile, sourceHash }, 0) : text);
}
