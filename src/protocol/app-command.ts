/**
 * The hooks file that a command hook is about, as it is written there, when the hook calls an app: `hookline-client FILE`,
 * `hookline run FILE`, or Node with the package's own program. Undefined for every other command.
 */
export function hooksFileOfCommand(words: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    const rest = restOfCall(baseName(word), words.slice(index + 1));
    const file = rest && fileAmong(rest);
    if (file !== undefined) return file;
  }
  return undefined;
}

function restOfCall(program: string, after: readonly string[]): readonly string[] | undefined {
  if (program === "hookline-client") return after;
  if (program !== "hookline" && program !== "bin.cjs") return undefined;
  return after[0] === "run" ? after.slice(1) : undefined;
}

/** The first word that is neither an option nor an option's value. */
function fileAmong(words: readonly string[]): string | undefined {
  const options = /^--(?:on-failure|event|record)$/;
  return words.find((word, index) => !word.startsWith("-") && !options.test(words[index - 1] ?? ""));
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
