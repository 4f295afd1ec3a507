import { dirname, join } from "node:path";
import type { Gathering } from "./gather-files.ts";
import type { ValueContext } from "./word-values.ts";

/** Where a shell text is, and how far its words count. */
export interface Script {
  /** `named`: every file that a word names counts, as in the command of a hook. `run`: only what it runs. */
  readonly mode: "named" | "run";
  /** What stands before a form in messages; empty for the command itself. */
  readonly label: string;
  /** The script's own file. */
  readonly file?: string;
  /** Folders that relative names may count from. Grows. */
  readonly folders: string[];
  readonly depth: number;
  /** Whether it is only a text in quotes that may be a command: what it names counts, what it calls is not told. */
  readonly isGuess?: boolean;
  readonly variables: ReadonlyMap<string, readonly string[]>;
}

export function valueContext({ variables, file }: Script, { checkout }: Gathering): ValueContext {
  return {
    variables,
    home: checkout.home,
    printed(text) {
      const plain = text.replaceAll(/["']|\s*2>\s*\/dev\/null/g, "").trim();
      if (/^pwd(?: -[LP])?$/.test(plain)) return ".";
      if (/^git rev-parse --show-toplevel(?:\s*\|\|.*)?$/.test(plain)) return checkout.real;
      const own = /dirname (?:-- )?\$(?:0|\{?BASH_SOURCE(?:\[0\])?\}?)\)?((?:\/[\w.-]+)*)/.exec(plain);
      return own === null || file === undefined ? undefined : join(dirname(file), own[1] ?? "");
    },
  };
}

export function leaveOut(what: string, why: string, { label }: Pick<Script, "label">, gathering: Gathering): void {
  gathering.leaveOut(label === "" ? what : `${label}: ${what}`, why);
}
