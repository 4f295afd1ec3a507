import { Problem } from "../protocol/index.ts";

/** The word that an option takes, out of those it may be; undefined when the option was not given. */
export function oneOf<Word extends string>(
  option: string,
  text: string | undefined,
  words: readonly Word[],
): Word | undefined {
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw new Problem("cli/usage", `--${option} is one of ${words.join(", ")}, not "${text}".`);
}
