import type { FailureMode } from "../../sdk/index.ts";

export interface RunArguments {
  readonly file: string;
  readonly onFailure?: FailureMode;
}

/** By hand: the parser of the other commands is not worth its start here. Undefined when the words make no call. */
export function readArguments(words: readonly string[]): RunArguments | undefined {
  let file: string | undefined;
  let onFailure: FailureMode | undefined;
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name, inline] = word.split("=", 2);
    if (name === "--on-failure") {
      const mode = inline ?? rest.shift();
      if (mode !== "block" && mode !== "continue") return undefined;
      onFailure = mode;
    } else if (word.startsWith("-") || file !== undefined) {
      return undefined;
    } else {
      file = word;
    }
  }
  return file === undefined ? undefined : { file, ...(onFailure === undefined ? {} : { onFailure }) };
}
