import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type DaemonRecord, daemonStatus, serve, startDaemon, stopDaemon } from "../../daemon/internal.ts";
import { packageFile, packageVersion } from "../../files/internal.ts";
import { escapeControls, escapeLines, Problem } from "../../protocol/internal.ts";
import { hasOpenJobs, recordPayload } from "../../sdk/internal.ts";
import type { Call, Command, Io } from "../command-line/command.ts";
import { usualHooksFile } from "../command-line/input.ts";

export const command: Command = {
  usage: "[HOOKS_FILE] [--foreground | --stop | --status] [--idle-minutes N] [--record DIR] [--json]",
  about: `The hooks of a file, warm: a local daemon that answers in about a millisecond.

HOOKS_FILE is .claude/hooks.ts (.mts, .js, .mjs) by default. One daemon runs per hooks file, whoever starts it first; it answers on
127.0.0.1 alone, to those who have its token. A changed file is loaded before the next call. The daemon leaves after 30 minutes without a
call, but not while an agent lives that it has answered. Without --foreground it is started in the background and outlives this command.`,
  mostArguments: 1,
  options: {
    foreground: {
      type: "boolean",
      excludes: ["stop", "status"],
      about: "serve until asked to end, for service managers",
    },
    stop: { type: "boolean", excludes: ["status"], about: "end the daemon; calls that have begun are finished" },
    status: { type: "boolean", about: "say whether one runs; exit 4 when none does" },
    "idle-minutes": { type: "string", value: "N", about: "leave after this long without a call (default: 30)" },
    record: { type: "string", value: "DIR", about: "keep every payload there, secrets masked, as a fixture for tests" },
    json: { type: "boolean", about: "print JSON" },
  },
  examples: ["hookline serve", "hookline serve .claude/hooks.ts --foreground", "hookline serve --stop"],
  async run(call, io) {
    const [file = usualHooksFile(io.cwd)] = call.words;
    // The daemon of a file that is gone may still run.
    if (call.flag("stop")) return stop(file, call, io);
    if (call.flag("status")) return status(file, call, io);
    idleMinutes(call);
    if (!statSync(resolve(io.cwd, file), { throwIfNoEntry: false })?.isFile()) {
      throw new Problem("cli/bad-input", `There is no hooks file ${file}. hookline init makes one.`, {
        about: { file },
      });
    }
    if (call.flag("foreground")) return foreground(file, call, io);
    const words = ["serve", resolve(io.cwd, file), "--foreground", ...passedOn(call, io)];
    const program = packageFile("dist/cli/bin.cjs");
    const record = await startDaemon(file, { env: io.env, signal: io.signal, command: [program, ...words] });
    await tell(record, call, io);
    if (record.sourceHash === "") await io.err(`hookline: ${notLoaded(file)}\n`);
    const { compileOwnClient } = await import("../options/install-options.ts");
    await compileOwnClient(io);
    return 0;
  },
};

async function foreground(file: string, call: Call, io: Io): Promise<number> {
  const idle = idleMinutes(call);
  const record = call.text("record");
  const folder = record === undefined ? undefined : resolve(io.cwd, record);
  const complain = (line: string) => void io.err(`hookline: ${escapeLines(line)}\n`);
  // Whoever cannot tell stays: leaving would disarm entries of type http.
  const hasTasks = () =>
    hasOpenJobs(file, io.env).catch((error: unknown) => {
      complain(`Whether tasks run cannot be told: ${String(error)}`);
      return true;
    });
  const ended = await serve({
    hooksFile: file,
    env: io.env,
    version: packageVersion(),
    thread: pathToFileURL(packageFile("dist/cli/run/worker-thread.js")),
    complain,
    signal: io.signal,
    ready: (record) => void tell(record, call, io),
    busy: hasTasks,
    ...(idle === undefined ? {} : { idleMs: idle * 60_000 }),
    ...(folder === undefined ? {} : { keep: (payload: string) => recordPayload(folder, payload, complain) }),
  });
  if (ended === "left") return 0;
  await io.err(`hookline: another daemon answers for ${file}. hookline serve ${file} --stop ends it.\n`);
  return 3;
}

/** The daemon is elsewhere: paths are given whole. */
function passedOn(call: Call, { cwd }: Io): string[] {
  const idle = call.text("idle-minutes");
  const record = call.text("record");
  return [
    ...(idle === undefined ? [] : ["--idle-minutes", idle]),
    ...(record === undefined ? [] : ["--record", resolve(cwd, record)]),
  ];
}

function idleMinutes(call: Call): number | undefined {
  const text = call.text("idle-minutes");
  if (text === undefined) return undefined;
  const minutes = Number(text);
  if (minutes > 0 && Number.isFinite(minutes)) return minutes;
  throw usage(`--idle-minutes takes a number of minutes, not "${text}".`);
}

async function stop(file: string, call: Call, io: Io): Promise<number> {
  const stopped = await stopDaemon(file, { env: io.env, signal: io.signal });
  if (call.flag("json")) await io.out(`${JSON.stringify({ stopped })}\n`);
  else
    await io.out(
      stopped ? `the daemon of ${escapeControls(file)} has left\n` : `no daemon runs for ${escapeControls(file)}\n`,
    );
  return 0;
}

async function status(file: string, call: Call, io: Io): Promise<number> {
  const found = await daemonStatus(file, { env: io.env });
  if (call.flag("json")) await io.out(`${JSON.stringify(found ?? null)}\n`);
  else if (found === undefined) await io.out(`no daemon runs for ${escapeControls(file)}\n`);
  else {
    const since = new Date(found.since).toISOString();
    await io.out(`pid ${found.pid}, port ${found.port}, version ${found.version}, since ${since}\n`);
  }
  return found === undefined ? 4 : 0;
}

/** What does not load is for the daemon a file that will; the person who starts it should know now. */
function notLoaded(file: string): string {
  return `${file} does not load, so every event settles by its failure mode until it does. See: hookline test --hooks ${file} --event Stop`;
}

/** Never the token: what is printed ends in logs. */
async function tell({ pid, port, hooksFile, sourceHash }: DaemonRecord, call: Call, io: Io): Promise<void> {
  if (call.flag("json")) await io.out(`${JSON.stringify({ pid, port, hooksFile, sourceHash })}\n`);
  else await io.out(`${hooksFile} is answered on 127.0.0.1:${port} by process ${pid}\n`);
}

function usage(message: string): Problem {
  return new Problem("cli/usage", `${message} See hookline serve --help.`);
}
