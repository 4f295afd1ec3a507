import { posix } from "node:path";
import { type CommandPart, type ShellWord, staticValue } from "./shell-part.ts";
import { eachPlainWord } from "./word-scan.ts";

export interface RemovalContext {
  readonly cwd: string;
  readonly home: string;
}

/** What makes an `rm` or `rmdir` critical: the word that names too much, or undefined. */
export function criticalRemoval(part: CommandPart, context: RemovalContext): string | undefined {
  const [name, ...args] = part.words;
  const head = name && staticValue(name)?.split("/").at(-1);
  if (head !== "rm" && head !== "rmdir") return undefined;
  const risky = args.find((word) => word.behindVariable || namesTooMuch(word, part, context));
  return risky?.raw;
}

const mostCandidates = 2_000;

/** The same for a text that could not be taken apart: the words after an `rm`, as they stand. */
export function criticalWords(text: string, context: RemovalContext): string | undefined {
  const seen = new Set<string>();
  let removing = false;
  let critical: string | undefined;
  eachPlainWord(text, (word) => {
    if (critical !== undefined) return;
    if (!removing) {
      removing = /(^|\/)(rm|rmdir)$/.test(word);
    } else if (/^[/~.*]/.test(word) && !seen.has(word)) {
      seen.add(word);
      // Beyond what is looked at nobody can say; the question is asked.
      if (seen.size > mostCandidates || isCritical(word, context.cwd, context)) critical = word;
    }
  });
  return critical;
}

function namesTooMuch(word: ShellWord, part: CommandPart, context: RemovalContext): boolean {
  const folders = part.places.unknown ? [...part.places.folders, context.cwd] : part.places.folders;
  const [first, ...rest] = word.pieces;
  // `dir/*` empties dir: what counts is dir.
  const glob = rest.length === 1 && rest[0] === "" && /(^|\/)\.?\*$/.test(word.raw);
  const text = glob ? first.replace(/\.$/, "") || "." : staticValue(word);
  const texts = text === undefined ? (/^~(\/[^'"\\$`]*)?$/.test(word.raw) ? [word.raw] : []) : [text];
  if (text !== undefined && part.places.unknown && /^\.{1,2}(\/|$)/.test(posix.normalize(text))) return true;
  return texts.some((path) => folders.some((folder) => isCritical(path, folder, context)));
}

/** The root, a folder right below it, home, the working directory or a folder above it. */
function isCritical(path: string, folder: string, { cwd, home }: RemovalContext): boolean {
  if (path === "" || path.startsWith("-")) return false;
  const bare = path.replace(/\/?\.?\*$/, "") || (path.startsWith("/") ? "/" : ".");
  const whole = posix.resolve(folder, bare === "~" || bare.startsWith("~/") ? home + bare.slice(1) : bare);
  const above = (inner: string) => whole === "/" || inner === whole || inner.startsWith(`${whole}/`);
  return (
    whole.split("/").length <= 2 ||
    above(posix.resolve(cwd)) ||
    above(posix.resolve(folder)) ||
    above(posix.resolve(home))
  );
}
