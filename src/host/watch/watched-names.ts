import { basename } from "node:path";

/** The files that matchers of FileChanged name: literal names, split at `|`, in whatever folder the session is. */
export function watchedNames(matchers: readonly (string | undefined)[]): string[] {
  const names = matchers.flatMap((matcher) => (matcher ?? "").split("|").map((name) => name.trim()));
  return [...new Set(names.filter(isName))];
}

/** An absolute path as matcher never fires, and a pattern names no file. */
function isName(text: string): boolean {
  return text !== "" && text !== "." && text !== ".." && text === basename(text) && !/[*?^$()[\]{}\\\0]/.test(text);
}
