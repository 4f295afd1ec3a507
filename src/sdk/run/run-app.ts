import { resolve } from "node:path";
import { errorCode } from "../../files/internal.ts";
import { defined, messageOf } from "../../protocol/internal.ts";
import type { FailureMode } from "../answer/event-rules.ts";
import { appFailure, type WireAnswer } from "../answer/wire-answer.ts";
import type { AppRuntime, SettledEvent } from "../app/app-runtime.ts";
import { runEnvironment } from "../app/run-environment.ts";
import { sourceHash } from "../load/build-cache.ts";
import { appendLog } from "../log/log-file.ts";
import type { LogRecord } from "../log/logger.ts";
import { withExitGuard } from "./guard-exit.ts";
import { readPayload, readPayloadStream } from "./read-payload.ts";

/** Options of `runApp`. */
export interface RunAppOptions {
  /** Where the payload comes from. Default: standard input. Reading stops once one JSON object is complete. */
  readonly input?: AsyncIterable<Uint8Array | string>;
  /** Where the answer goes, and nothing else. Default: standard output. */
  readonly output?: TextOutput;
  /** Where messages about trouble go. Default: standard error. */
  readonly errors?: TextOutput;
  /** Default: that of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The directory of a payload without `cwd`. Default: that of the process. */
  readonly cwd?: string;
  /** The hooks file of the app: its tasks are run by it in another process, and the log names its code. */
  readonly file?: string;
  /** The mode of a settings entry. The stricter of this and the app's own applies. */
  readonly onFailure?: FailureMode;
  /** Cancels the handlers when it aborts. */
  readonly signal?: AbortSignal;
  /** How long to wait for the next byte before it is a failure. Default: 5 seconds. */
  readonly silenceMs?: number;
}

export async function runApp(runtime: AppRuntime, options: RunAppOptions): Promise<number> {
  const { input = process.stdin, output = process.stdout, errors = process.stderr, env = process.env } = options;
  const complaints: string[] = [];
  const complain = (line: string) => void complaints.push(`hookline: ${line}\n`);
  const records: LogRecord[] = [];
  const reading = env["HOOKLINE"] === "0" ? undefined : readPayloadStream(input, options.silenceMs ?? 5_000);
  const read = await reading?.catch((error: unknown) => ({ fault: messageOf(error) }));
  const answerTo = async (): Promise<WireAnswer & Pick<SettledEvent, "dispose">> => {
    const dispose = async () => undefined;
    const time = new Date().toISOString();
    if (read === undefined) {
      records.push({ time, event: "", answer: "none", off: true });
      return { stdout: "", stderr: "", exitCode: 0, dispose };
    }
    const payload = "fault" in read ? read : readPayload(read.text);
    if ("value" in payload) {
      const { cwd = process.cwd(), file, onFailure, signal } = options;
      const environment = runEnvironment(runtime, { env, cwd, file, onFailure, signal, complain }, records);
      return withExitGuard(() => runtime.dispatch(payload.value, environment));
    }
    const mode = runtime.modeFor(undefined, options.onFailure);
    const message = `The event cannot be read: ${payload.fault}.`;
    records.push({ time, event: "", answer: mode === "block" ? "refused" : "none", failed: message });
    return { ...appFailure(message, mode), dispose };
  };
  // Hosts would read the output of handlers as part of the answer.
  const answer = await withStdoutRedirected(output, errors, answerTo);
  await write(errors, complaints.join("") + answer.stderr);
  await write(output, answer.stdout);
  const warn = (line: string) => void errors.write(`hookline: ${line}\n`);
  const source = options.file === undefined ? undefined : sourceHash(resolve(options.file), env);
  const about = { transport: "run", ...defined({ source }) };
  for (const record of records) appendLog({ ...record, ...about }, env, warn, runtime.options.log);
  const notDisposed = (error: unknown) => warn(`A provider was not disposed: ${String(error)}`);
  await answer.dispose().catch(notDisposed);
  if (output === process.stdout) {
    await runtime.end().catch(notDisposed);
    process.exitCode = answer.exitCode;
  }
  return answer.exitCode;
}

/** A destination for text, such as a Node stream. */
export interface TextOutput {
  /** Like `write` of a stream. */
  write(text: string, done?: (error?: Error | null) => void): boolean;
}

/** Contract: resolves once the whole text is written. A closed pipe is not an error. */
function write(output: TextOutput, text: string): Promise<void> {
  if (text === "") return Promise.resolve();
  return new Promise((resolve, reject) => {
    output.write(text, (error) => {
      if (error && errorCode(error) !== "EPIPE") reject(error);
      else resolve();
    });
  });
}

/** Runs work that may print. If the answer goes to the process's stdout, anything printed meanwhile goes to `errors`. */
export async function withStdoutRedirected<Value>(
  output: TextOutput,
  errors: TextOutput,
  work: () => Promise<Value>,
): Promise<Value> {
  const { stdout } = process;
  if (output !== stdout) return work();
  const own = stdout.write;
  stdout.write = errors.write.bind(errors) as typeof stdout.write;
  try {
    return await work();
  } finally {
    stdout.write = own;
  }
}
