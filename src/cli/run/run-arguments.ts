import type { FailureMode } from "../../sdk/index.ts";

export interface RunArguments {
  readonly file: string;
  readonly onFailure: FailureMode | undefined;
  /** The event of the entry in settings, used when the payload cannot be read. */
  readonly event: string | undefined;
  /** The file descriptor with the beginning of the payload, which the client has already read. */
  readonly head: number | undefined;
  /** Why the client called; `rerun`: the daemon may already have run some handlers. */
  readonly because: string | undefined;
  /** The time that a daemon has used up before it failed: the deadline counts from the beginning of the call. */
  readonly spentMs: number;
  /** The directory to save the payload in, as a test fixture. */
  readonly record: string | undefined;
}

/** Parses by hand, since loading the parser of the other commands would slow down every hook. */
export function readArguments(args: readonly string[]): RunArguments | { readonly wrong: string } {
  let file: string | undefined;
  const given: Record<string, string> = {};
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    const at = arg.indexOf("=");
    const name = at < 0 ? arg : arg.slice(0, at);
    if (known.includes(name)) given[name] = at < 0 ? (args[++i] ?? "") : arg.slice(at + 1);
    else if (arg.startsWith("-")) return { wrong: `run has no option ${name}.` };
    else if (file !== undefined) return { wrong: `Unexpected argument "${arg}".` };
    else file = arg;
  }
  const { "--on-failure": mode, "--event": event, "--head": head, "--because": because, "--record": record } = given;
  if (file === undefined) return { wrong: "run requires a hooks file." };
  if (mode !== undefined && mode !== "block" && mode !== "continue") {
    return { wrong: `--on-failure must be block or continue, not "${mode}".` };
  }
  return {
    file,
    onFailure: mode,
    event: event || undefined,
    head: head === undefined ? undefined : Number(head),
    because,
    spentMs: Math.max(0, 1_000 * Number(given["--spent"]) || 0),
    record,
  };
}

/** Whether invalid arguments ask for block: any mode but `continue`, or `block` as the value of any option. */
export function asksToBlock(args: readonly string[]): boolean {
  return args.some((arg, index) => {
    if (arg === "block" || /^-.*=block$/.test(arg)) return true;
    if (arg.startsWith("--on-failure=")) return arg !== "--on-failure=continue";
    return arg === "--on-failure" && args[index + 1] !== "continue";
  });
}

const known = ["--on-failure", "--event", "--head", "--because", "--spent", "--record"];
