import { isWithin, maxPathLength, type ResolvedPath } from "../paths/resolve-path.ts";
import { fileOperands, worksOnFiles } from "../shell/programs/file-operands.ts";
import { type CommandPart, type ShellWord, staticValue } from "../shell/shell-part.ts";
import { isPathPattern, someWord, unescapePattern } from "../shell/word-pieces.ts";
import { type Access, isInside, type JudgeState, shellRead } from "./judge-context.ts";
import { askedBy, type PartFinding, strictest } from "./judgement.ts";

/**
 * What `permissions.blockReadsOutsideWorkingDirectories` and `blockWritesOutsideWorkingDirectories` say about a path: a file tool is
 * refused in every mode and whatever rules allow; a shell command that reads outside is asked about. As measured in 2.1.325.
 */
export function boundaryFinding(path: ResolvedPath, access: Access, state: JudgeState): PartFinding | undefined {
  const { boundary } = state.policy;
  if (!access.writes) {
    if (!boundary.reads || isInside(path, state) || isExempt(path, boundary.exempt)) return undefined;
    const why = `${path.given} is outside the working directories, and permissions.blockReadsOutsideWorkingDirectories is set`;
    return access.shell ? askedBy(state.mode, "rule", why) : refused(why);
  }
  if (!boundary.writes || access.shell) return undefined;
  if (!isInside(path, state)) {
    return refused(
      `${path.given} is outside the working directories, and permissions.blockWritesOutsideWorkingDirectories is set`,
    );
  }
  if (!settingsFile.test(path.resolved)) return undefined;
  return refused(
    `${path.given} is a settings file, which could lift permissions.blockWritesOutsideWorkingDirectories, and that is set`,
  );
}

/** Every spelling of the path must be exempt: a link in an exempt folder does not lead out of it. */
function isExempt({ spellings }: ResolvedPath, exempt: readonly string[]): boolean {
  return spellings.every((spelling) => exempt.some((path) => isWithin(spelling, path)));
}

const settingsFile = /[\\/]\.claude[\\/]settings(?:\.local)?\.json$/i;

function refused(why: string): PartFinding {
  return { decision: "deny", by: "rule", stance: "deny", rule: null, why };
}

/** Programs that read a folder they are given and are not among those whose operands are files. */
const readsFolder = /^(?:cd|pushd|ls|find|tree|du)$/;
const free = /^\/dev\/(?:null|stdin|stdout|stderr)$/;

/**
 * With `permissions.blockReadsOutsideWorkingDirectories`: what any program is given that is a path outside. What is read by those that
 * work on files is judged with their operands.
 */
export function judgeOutside(part: CommandPart, state: JudgeState): PartFinding | undefined {
  if (!state.policy.boundary.reads) return undefined;
  if (worksOnFiles(part)) {
    const written = fileOperands(part).filter(({ access }) => access === "write");
    return judgeTexts(
      written.flatMap(({ pattern }) => (pattern === undefined ? [] : [knownText(pattern)])),
      part,
      state,
    );
  }
  const [head, ...args] = part.words;
  const folders = readsFolder.test((head && staticValue(head)) ?? "");
  return strictest(
    args.flatMap((word) => {
      const texts = textsOf(word, state.context.home);
      if (texts === undefined) return folders ? [notKnown(word, state)] : [];
      return [judgeTexts(texts, part, state)];
    }),
  );
}

function judgeTexts(texts: readonly string[], part: CommandPart, state: JudgeState): PartFinding | undefined {
  return strictest(
    texts.flatMap(pathIn).flatMap((path) => starts(path, part).map((from) => judgeOne(from + path, state))),
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
  return isPathPattern(pattern) || pattern.includes(someWord);
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
  return path === undefined || path === "" || free.test(path) || path.length > maxPathLength ? [] : [path];
}

function starts(path: string, { places }: CommandPart): readonly string[] {
  return path.startsWith("/") ? [""] : places.folders.map((folder) => `${folder}/`);
}

function judgeOne(path: string, state: JudgeState): PartFinding | undefined {
  const resolved = state.look(path);
  if (resolved === undefined) return askedBy(state.mode, "analysis", "the command names more files than are looked at");
  // As in the client: a word that names nothing on disk is hardly a path.
  if (resolved.kind === "missing") return undefined;
  return boundaryFinding(resolved, shellRead, state);
}

function notKnown({ raw }: ShellWord, state: JudgeState): PartFinding {
  const why = `${raw} is not known beforehand, and permissions.blockReadsOutsideWorkingDirectories is set`;
  return askedBy(state.mode, "rule", why);
}
