import { type CommandPart, type Places, type ShellWord, staticValue } from "./part.ts";

/** A word that names a file, and what happens to it. */
export interface FileOperand {
  readonly word: ShellWord;
  readonly access: "read" | "write";
}

/** What programs do with their operands: read them, write them, or read all and write the last (PE-35). Best effort. */
const programs: ReadonlyMap<string, "reads" | "writes" | "writes last"> = new Map([
  ...(
    "cat head tail less more nl wc od xxd hexdump strings grep egrep fgrep rg ag awk sort uniq cut paste diff cmp comm file stat " +
    "base64 md5sum sha1sum sha256sum sha512sum cksum jq yq bat tac rev fold fmt column source . tar zip gzip bzip2 xz split"
  )
    .split(" ")
    .map((name) => [name, "reads"] as const),
  ..."rm rmdir mv tee touch truncate mkdir chmod chown chgrp unlink shred dd sed patch ed ex vi vim nano mkfifo mknod unzip gunzip"
    .split(" ")
    .map((name) => [name, "writes"] as const),
  ...["cp", "ln", "install", "rsync", "scp", "link"].map((name) => [name, "writes last"] as const),
]);

/** The operands of a command that is known to work on files; none for any other. */
export function fileOperands(part: CommandPart): FileOperand[] {
  const [name, ...args] = part.words;
  const head = name && staticValue(name)?.split("/").at(-1);
  const does = head === undefined ? undefined : programs.get(head);
  if (does === undefined) return [];
  const words = args.flatMap((word) => namesIn(word));
  if (does === "reads") return words.map((word) => ({ word, access: "read" }));
  if (does === "writes") return words.map((word) => ({ word, access: "write" }));
  const elsewhere = args.some((word) => /^(-t|--target-directory)/.test(word.pieces[0]));
  return words.map((word, index) => ({ word, access: elsewhere || index === words.length - 1 ? "write" : "read" }));
}

/** What `cp a b folder` really writes: `folder/a` and `folder/b`, whether or not the folder is there. */
export function copiedPaths(part: CommandPart, home: string): string[] {
  const head = part.words[0] && staticValue(part.words[0])?.split("/").at(-1);
  if (head !== "cp" && head !== "mv" && head !== "ln" && head !== "install") return [];
  const names = part.words
    .slice(1)
    .filter((word) => staticValue(word) !== undefined && !staticValue(word)?.startsWith("-"));
  const folder = names.at(-1);
  if (folder === undefined) return [];
  const { paths } = pathsOf(folder, part.places, home);
  return names.slice(0, -1).flatMap((from) => {
    const name = staticValue(from)?.replace(/\/+$/, "").split("/").at(-1) ?? "";
    return paths.map((path) => `${path}/${name}`);
  });
}

/** A word as a name; of `of=x` and `--file=x` the value. */
function namesIn(word: ShellWord): ShellWord[] {
  const text = staticValue(word);
  if (text === undefined) return word.tilde === undefined ? [] : [word];
  const value = /^(?:-{1,2}[\w-]+|if|of)=(.*)$/s.exec(text)?.[1];
  if (value !== undefined) return value === "" ? [] : [{ ...word, pieces: [value] }];
  return text === "" || text.startsWith("-") ? [] : [word];
}

/** The paths a word may name in the folders a part may run in. `sure` is false when there may be others. */
export function pathsOf(word: ShellWord, places: Places, home: string): { paths: string[]; sure: boolean } {
  const text = staticValue(word);
  if (text === undefined) {
    // A tilde is home, unless no such user exists; then it is a name.
    return {
      paths: word.tilde === undefined ? [] : [home + word.tilde, ...below(places, `~${word.tilde}`)],
      sure: false,
    };
  }
  return text.startsWith("/") ? { paths: [text], sure: true } : { paths: below(places, text), sure: !places.unknown };
}

function below(places: Places, name: string): string[] {
  return places.folders.map((folder) => `${folder}/${name}`);
}
