import { longestPath } from "../paths/resolve-path.ts";
import { fileOperands, worksOnFiles } from "../shell/programs/file-operands.ts";
import { type CommandPart, type ShellWord, staticValue } from "../shell/shell-part.ts";
import { isPattern, someWord, unescapePattern } from "../shell/word-pieces.ts";
import { asked, type Finding, strictest } from "./finding.ts";
import type { Desk } from "./judge-context.ts";
import { isInside } from "./judge-path.ts";
import { shellRead } from "./judge-shell-files.ts";
import { boundaryFinding } from "./working-directories.ts";

/** Programs that read a folder they are given and are not among those whose operands are files. */
const readsFolder = /^(?:cd|pushd|ls|find|tree|du)$/;
const free = /^\/dev\/(?:null|stdin|stdout|stderr)$/;

/**
 * With `permissions.blockReadsOutsideWorkingDirectories`: what any program is given that is a path outside. What is read by those that
 * work on files is judged with their operands.
 */
export function judgeOutside(part: CommandPart, desk: Desk): Finding | undefined {
  if (!desk.policy.boundary.reads) return undefined;
  if (worksOnFiles(part)) {
    const written = fileOperands(part).filter(({ access }) => access === "write");
    return judgeTexts(
      written.flatMap(({ pattern }) => (pattern === undefined ? [] : [knownText(pattern)])),
      part,
      desk,
    );
  }
  const [head, ...args] = part.words;
  const folders = readsFolder.test((head && staticValue(head)) ?? "");
  return strictest(
    args.flatMap((word) => {
      const texts = textsOf(word, desk.context.home);
      if (texts === undefined) return folders ? [notKnown(word, desk)] : [];
      return [judgeTexts(texts, part, desk)];
    }),
  );
}

function judgeTexts(texts: readonly string[], part: CommandPart, desk: Desk): Finding | undefined {
  return strictest(
    texts.flatMap(pathIn).flatMap((path) => starts(path, part).map((from) => judgeOne(from + path, desk))),
  );
}

/** What a word may be; of a glob the folder it looks in. Undefined where that is not known. */
function textsOf(word: ShellWord, home: string): readonly string[] | undefined {
  if (word.tilde !== undefined) return [home + word.tilde];
  const text = staticValue(word);
  if (text !== undefined) return [text];
  return word.expansions?.map(knownText);
}

function knownText(pattern: string): string {
  return unescapePattern(isOpen(pattern) ? folderOf(pattern) : pattern);
}

function isOpen(pattern: string): boolean {
  return isPattern(pattern) || pattern.includes(someWord);
}

/** `/etc/` of `/etc/*.conf`. */
function folderOf(pattern: string): string {
  const segments = pattern.split("/");
  const first = segments.findIndex(isOpen);
  return segments
    .slice(0, first)
    .map((segment) => `${segment}/`)
    .join("");
}

/** The word, of an option its value: `--file=/x`, `-I/x`. */
function pathIn(text: string): string[] {
  const path = /^-/.test(text) ? /^(?:--?[\w-]+=|-[A-Za-z](?=[/.~]))(.+)$/s.exec(text)?.[1] : text;
  return path === undefined || path === "" || free.test(path) || path.length > longestPath ? [] : [path];
}

function starts(path: string, { places }: CommandPart): readonly string[] {
  return path.startsWith("/") ? [""] : places.folders.map((folder) => `${folder}/`);
}

function judgeOne(path: string, desk: Desk): Finding | undefined {
  const resolved = desk.look(path);
  if (resolved === undefined) return asked(desk.mode, "analysis", "the command names more files than are looked at");
  // As in the client: a word that names nothing on disk is hardly a path.
  if (resolved.kind === "missing") return undefined;
  return boundaryFinding(resolved, () => isInside(resolved, desk), shellRead, desk);
}

function notKnown({ raw }: ShellWord, desk: Desk): Finding {
  const why = `${raw} is not known beforehand, and permissions.blockReadsOutsideWorkingDirectories is set`;
  return asked(desk.mode, "rule", why);
}
