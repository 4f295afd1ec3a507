import { isWithin, maxPathLength, type ResolvedPath } from "../paths/resolve-path.ts";
import { fileOperands, worksOnFiles } from "../shell/programs/file-operands.ts";
import { type CommandPart, headOf, type ShellWord, staticValue } from "../shell/shell-part.ts";
import { isOpenPattern, unescapePattern } from "../shell/word-pieces.ts";
import { type Access, isInWorkingDirectory, type JudgeState, shellRead, standardStreams } from "./judge-context.ts";
import { askedBy, askedForTooManyFiles, deniedByRule, type PartFinding, strictest } from "./judgement.ts";

/**
 * Applies `permissions.blockReadsOutsideWorkingDirectories` and `blockWritesOutsideWorkingDirectories` to a path. A file tool is denied
 * regardless of rules and mode; a shell command that reads outside needs a confirmation. As measured in Claude Code 2.1.325.
 */
export function boundaryFinding(path: ResolvedPath, access: Access, state: JudgeState): PartFinding | undefined {
  const { boundary } = state.policy;
  const outside = `${path.given} is outside the working directories`;
  if (!access.writes) {
    if (!boundary.reads || isInWorkingDirectory(path, state) || isExempt(path, boundary.exempt)) return undefined;
    const why = `${outside}, and permissions.blockReadsOutsideWorkingDirectories is set`;
    return access.shell ? askedBy(state.mode, "rule", why) : deniedByRule(null, why);
  }
  if (!boundary.writes || access.shell) return undefined;
  if (!isInWorkingDirectory(path, state)) {
    return deniedByRule(null, `${outside}, and permissions.blockWritesOutsideWorkingDirectories is set`);
  }
  if (!settingsFile.test(path.resolved)) return undefined;
  const key = "permissions.blockWritesOutsideWorkingDirectories";
  return deniedByRule(null, `${path.given} is a settings file, which could lift ${key}, and that is set`);
}

/** Every spelling of the path must be exempt, so a link in an exempt folder cannot lead out of it. */
function isExempt({ spellings }: ResolvedPath, exempt: readonly string[]): boolean {
  return spellings.every((spelling) => exempt.some((path) => isWithin(spelling, path)));
}

const settingsFile = /[\\/]\.claude[\\/]settings(?:\.local)?\.json$/i;

/** Programs that read the folder in their operand and are not in the table of programs that work on files. */
const readsFolder = /^(?:cd|pushd|ls|find|tree|du)$/;

/**
 * With `permissions.blockReadsOutsideWorkingDirectories`: judges every argument of any program that is a path outside. The files that
 * programs in the table of file programs read are judged with their operands.
 */
export function judgeOutsideReads(part: CommandPart, state: JudgeState): PartFinding | undefined {
  if (!state.policy.boundary.reads) return undefined;
  if (worksOnFiles(part)) {
    const written = fileOperands(part).filter(({ access }) => access === "write");
    const texts = written.flatMap(({ pattern }) => (pattern === undefined ? [] : [knownText(pattern)]));
    return judgeTexts(texts, part, state);
  }
  const folders = readsFolder.test(headOf(part) ?? "");
  return strictest(
    part.words.slice(1).flatMap((word) => {
      const texts = textsOf(word, state.context.home);
      if (texts === undefined) return folders ? [askedForUnknownRead(word, state)] : [];
      return [judgeTexts(texts, part, state)];
    }),
  );
}

function judgeTexts(texts: readonly string[], part: CommandPart, state: JudgeState): PartFinding | undefined {
  return strictest(
    texts
      .flatMap(pathInWord)
      .flatMap((path) => startFolders(path, part).map((from) => judgeOutsidePath(from + path, state))),
  );
}

/** The possible values of a word; for a glob, the folder that it searches. Undefined if they are unknown. */
function textsOf(word: ShellWord, home: string): readonly string[] | undefined {
  if (word.tilde !== undefined) return [home + word.tilde];
  const text = staticValue(word);
  if (text !== undefined) return [text];
  return word.expansions?.map(knownText);
}

function knownText(pattern: string): string {
  return unescapePattern(isOpenPattern(pattern) ? folderOf(pattern) : pattern);
}

/** `/etc/` of `/etc/*.conf`. */
function folderOf(pattern: string): string {
  const segments = pattern.split("/");
  const known = segments.slice(0, segments.findIndex(isOpenPattern));
  return known.map((segment) => `${segment}/`).join("");
}

/** The path in a word: the word itself, or the value of an option such as `--file=/x` or `-I/x`. */
function pathInWord(text: string): string[] {
  const path = /^-/.test(text) ? /^(?:--?[\w-]+=|-[A-Za-z](?=[/.~]))(.+)$/s.exec(text)?.[1] : text;
  return path === undefined || path === "" || standardStreams.test(path) || path.length > maxPathLength ? [] : [path];
}

function startFolders(path: string, { places }: CommandPart): readonly string[] {
  return path.startsWith("/") ? [""] : places.folders.map((folder) => `${folder}/`);
}

function judgeOutsidePath(path: string, state: JudgeState): PartFinding | undefined {
  const resolved = state.resolveOperand(path);
  if (resolved === undefined) return askedForTooManyFiles(state.mode);
  // As in Claude Code: a word that names nothing on disk is not treated as a path.
  if (resolved.kind === "missing") return undefined;
  return boundaryFinding(resolved, shellRead, state);
}

/** A word that may name any file: with the same setting it needs a confirmation. */
export function askedForUnknownRead({ raw }: Pick<ShellWord, "raw">, state: JudgeState): PartFinding {
  const why = `${raw} is not known beforehand, and permissions.blockReadsOutsideWorkingDirectories is set`;
  return askedBy(state.mode, "rule", why);
}
