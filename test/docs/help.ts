import { callHookline } from "../../src/cli/fixtures/caller.ts";

/** What `hookline WORDS --help` prints. */
export async function help(words: readonly string[]): Promise<string> {
  const { status, out, err } = await callHookline([...words, "--help"], { home: "/" });
  if (status !== 0) throw new Error(`hookline ${words.join(" ")} --help ended with ${status}: ${err}`);
  return out;
}
