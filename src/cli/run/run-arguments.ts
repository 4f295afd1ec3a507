import type { FailureMode } from "../../sdk/index.ts";

export interface RunArguments {
  readonly file: string;
  readonly onFailure?: FailureMode;
  /** The event that the entry in settings is for: what counts when the payload cannot be read. */
  readonly event?: string;
  /** The descriptor on which the beginning of the payload comes: what a client has read already. */
  readonly head?: number;
  /** The client calls because of this; `rerun`: the daemon may have run handlers in part. */
  readonly because?: string;
  /** Keeps the payload in this folder, as a fixture. */
  readonly record?: string;
}

/** By hand: the parser of the other commands is not worth its start here. `wrong` says why the words make no call. */
export function readArguments(words: readonly string[]): RunArguments | { readonly wrong: string } {
  let file: string | undefined;
  const given: Record<string, string> = {};
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    const at = word.indexOf("=");
    const name = at < 0 ? word : word.slice(0, at);
    if (known.includes(name)) given[name] = at < 0 ? (words[++i] ?? "") : word.slice(at + 1);
    else if (word.startsWith("-")) return { wrong: `hookline run has no option ${name}.` };
    else if (file !== undefined) return { wrong: oneFile };
    else file = word;
  }
  const { "--on-failure": mode, "--event": event, "--head": head, "--because": because, "--record": record } = given;
  if (file === undefined) return { wrong: oneFile };
  if (mode !== undefined && mode !== "block" && mode !== "continue") {
    return { wrong: `--on-failure takes block or continue, not "${mode}".` };
  }
  return {
    file,
    ...(mode === undefined ? {} : { onFailure: mode }),
    ...(event === undefined || event === "" ? {} : { event }),
    ...(head === undefined ? {} : { head: Number(head) }),
    ...(because === undefined ? {} : { because }),
    ...(record === undefined ? {} : { record }),
  };
}

const oneFile = "hookline run takes one hooks file.";

/** Whether a call that cannot be read asked for refusal when something fails; any mode but `continue` counts, and `block` under any name. */
export function asksToBlock(words: readonly string[]): boolean {
  return words.some((word, index) => {
    if (word === "block" || /^-.*=block$/.test(word)) return true;
    if (word.startsWith("--on-failure=")) return word !== "--on-failure=continue";
    return word === "--on-failure" && words[index + 1] !== "continue";
  });
}

const known = ["--on-failure", "--event", "--head", "--because", "--record"];
