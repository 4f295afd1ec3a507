import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { endLeftovers, findLeftovers, runProcess, runTag } from "../../../exec/internal.ts";
import { type Judgement, judge, type Policy, resolveInside } from "../../../permissions/internal.ts";
import { checkAll, checkNamed, defined, mustBe, type OptionCheck } from "../../../protocol/internal.ts";

/** The options of `runBounded`. */
export interface BoundedOptions {
  /** The rules that the command must pass. */
  readonly policy: Policy;
  /** The folder to run in. */
  readonly cwd: string;
  /** `cwd` must be inside one of these folders. Default: this process's folder and those of the policy. */
  readonly roots?: readonly string[];
  /** The home folder of the rules. Default: the user's. */
  readonly home?: string;
  /** The environment of the command. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Default: 120,000. */
  readonly timeoutMs?: number;
  /** Of each process of the command, where the system can limit it. */
  readonly maxMemoryMb?: number;
  /** For each stream. Default: 1 MiB. */
  readonly maxOutputBytes?: number;
  /** Aborting it ends the command. */
  readonly signal?: AbortSignal;
}

/** A misspelled limit would not limit anything. */
const checks: Readonly<Record<keyof BoundedOptions, OptionCheck | undefined>> = {
  ...checkAll(mustBe.object, "policy", "env"),
  ...checkAll(mustBe.text, "cwd", "home"),
  ...checkAll(mustBe.positiveNumber, "timeoutMs", "maxMemoryMb", "maxOutputBytes"),
  roots: mustBe.textList,
  signal: mustBe.abortSignal,
};

/** The result of `runBounded`. */
export type BoundedRun =
  | { readonly started: false; readonly decision: "ask" | "deny"; readonly reason: string }
  | {
      readonly started: true;
      readonly stdout: string;
      readonly stderr: string;
      /** Null when it did not end by itself. */
      readonly exit: number | null;
      /** Ended by its limit or by the signal. */
      readonly interrupted: boolean;
      readonly warnings: readonly string[];
    };

/**
 * Runs a shell command that the rules allow in all its parts, within limits of time, memory and output. What it leaves running in the
 * background is ended (on Linux), with a warning. Bounded is not a sandbox: what the rules allow can do whatever this user can. Throws `path/outside` when `cwd` is not in the roots.
 */
export async function runBounded(command: string, options: BoundedOptions): Promise<BoundedRun> {
  checkNamed("runBounded", options, checks, "host/bad-option", ["policy", "cwd"]);
  const { policy, home = homedir(), env = process.env, timeoutMs = 120_000, maxMemoryMb, signal } = options;
  const roots = options.roots ?? [process.cwd(), ...policy.directories];
  const cwd = resolveInside(options.cwd, roots, { cwd: process.cwd() });
  const judged = (projectRoot: string): Judgement => {
    const place = { cwd, home, projectRoot, envNames: Object.keys(env), attended: true };
    return judge({ tool: "Bash", input: { command } }, policy, place);
  };
  // What restricts counts from every root too, so that a run in a folder below loses no guard; what grants counts from the folder alone.
  const restricted = roots
    .map((root) => judged(resolve(root)))
    .find(({ decision, stance }) => decision !== "allow" && (stance === "deny" || stance === "ask"));
  const { decision, reason } = restricted ?? judged(cwd);
  if (decision !== "allow") return { started: false, decision, reason };

  const canLimitMemory = process.platform === "linux";
  const args = ["--noprofile", "--norc", "-c", ...bashArguments(command, canLimitMemory ? maxMemoryMb : undefined)];
  const tag = { name: runTag, value: randomUUID() };
  const limits = { timeoutMs, ...defined({ capBytes: options.maxOutputBytes, signal }) };
  const finished = await runProcess({ form: "exec", file: "bash", args }, { cwd, env, tag, ...limits });
  // What it started in the background would outlive its limits.
  const left = await findLeftovers(tag.name, tag.value);
  endLeftovers(left);
  const { ended, stdout, stderr } = finished;
  const dropped = stdout.droppedBytes + stderr.droppedBytes;
  if (ended.by === "not-started") return { started: false, decision: "deny", reason: ended.why };
  return {
    started: true,
    stdout: stdout.text,
    stderr: stderr.text,
    exit: ended.by === "exit" ? ended.code : null,
    interrupted: ended.by === "timeout" || ended.by === "cancelled",
    warnings: [
      ...(maxMemoryMb === undefined || canLimitMemory
        ? []
        : [`memory is not limited: ${process.platform} has no such limit for a process`]),
      ...(dropped === 0 ? [] : [`${dropped} bytes of output were dropped`]),
      ...left.map(({ pid, name }) => `${name} (process ${pid}) was left running and has been ended`),
    ],
  };
}

/** The rules read bash, so bash runs it. The command is an argument of its own and never pasted into another one. */
function bashArguments(command: string, maxMemoryMb: number | undefined): readonly string[] {
  if (maxMemoryMb === undefined) return [command];
  const script = 'ulimit -v "$1" && exec bash --noprofile --norc -c "$2"';
  return [script, "bash", String(Math.floor(maxMemoryMb * 1_024)), command];
}
