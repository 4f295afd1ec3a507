import { lazy } from "../../../protocol/internal.ts";

/** A word that names a file, and the access to it. */
export interface FileOperand {
  /** The name as a pattern of bash; undefined when it is not known beforehand. */
  readonly pattern: string | undefined;
  readonly raw: string;
  readonly access: "read" | "write";
}

/** What a program does with its operands, and which of its words are not files. */
export interface FileProgram {
  readonly does: "reads" | "writes" | "writes last";
  /** Letters of options whose value, in the next word, is text. */
  readonly text: string;
  /** The first operand is text: a pattern, a script or a mode. With an option of one of these letters it is a file too. */
  readonly textFirst?: string;
  /** Options whose value is a file that the program writes, as a usage line. */
  readonly outputs?: string;
  /** The index of the operand that the program writes. */
  readonly writesOperand?: number;
}

const output = "-o= --output=";

/** What is special about some programs. */
const details: readonly (readonly [programs: string, Partial<FileProgram>])[] = [
  ["head tail", { text: "nc" }],
  ["cut", { text: "bcdf" }],
  ["nl", { text: "bdfhilnsvw" }],
  ["od", { text: "AjNt" }],
  ["xxd", { text: "lsc", writesOperand: 1 }],
  ["grep egrep fgrep zgrep", { text: "eABCmd", textFirst: "ef" }],
  ["rg", { text: "eABCmgtTMj", textFirst: "ef" }],
  ["ag", { text: "ABCm", textFirst: "" }],
  ["awk gawk mawk nawk", { text: "Fv", textFirst: "f" }],
  ["sed", { text: "el", textFirst: "ef" }],
  ["jq", { textFirst: "f" }],
  ["yq chmod chown chgrp", { textFirst: "" }],
  ["join", { text: "12aeotv" }],
  ["iconv", { text: "ft", outputs: output }],
  ["shuf", { text: "ein", outputs: output }],
  ["sort", { text: "kt", outputs: output }],
  ["sdiff", { outputs: output }],
  ["patch", { outputs: "-or= --output= --reject-file=" }],
  ["csplit", { text: "fbn", outputs: "-f= --prefix=" }],
  ["zip", { outputs: "-O= --output-file= --out=", writesOperand: 0 }],
  ["zstd", { outputs: "-o=" }],
  ["lz4", { writesOperand: 1 }],
  ["uniq", { text: "fsw", writesOperand: 1 }],
  ["split", { text: "abln", writesOperand: 1 }],
  ["base32 base64 fold fmt", { text: "w" }],
  ["expand unexpand", { text: "t" }],
  ["pr", { text: "hlow" }],
  ["paste", { text: "d" }],
  ["diff", { text: "UCWxIF" }],
  ["stat", { text: "c" }],
  ["column", { text: "sN" }],
  ["touch", { text: "dt" }],
  ["truncate", { text: "s" }],
  ["mkdir", { text: "m" }],
  ["shred", { text: "ns" }],
  ["install", { text: "mog" }],
  ["scp", { text: "Pol" }],
];

const reads =
  "cat head tail less more nl wc od xxd hexdump strings grep egrep fgrep rg ag awk sort uniq cut paste diff cmp comm file stat " +
  "base64 md5sum sha1sum sha256sum sha512sum cksum jq yq bat tac rev fold fmt column source . tar zip gzip bzip2 xz split " +
  "gawk mawk nawk batcat pr expand unexpand base32 basenc b2sum sum sha224sum sha384sum zcat zless zmore zgrep bzcat xzcat zstd lz4 " +
  "zstdcat join sdiff tsort shuf csplit iconv hd most view vimdiff";
const writes =
  "rm rmdir mv tee touch truncate mkdir chmod chown chgrp unlink shred dd sed patch ed ex vi vim nvim nano mkfifo mknod unzip gunzip sponge";
const writesLast = "cp ln install rsync scp link";

/** The programs that work on the files in their operands, by name. Built on the first call, so that loading the module is cheap. */
export const filePrograms: () => ReadonlyMap<string, FileProgram> = lazy(() => {
  const own = new Map(details.flatMap(([names, detail]) => names.split(" ").map((name) => [name, detail] as const)));
  const rows = (does: FileProgram["does"], names: string) =>
    names.split(" ").map((name) => [name, { does, text: "", ...own.get(name) }] as const);
  return new Map([...rows("reads", reads), ...rows("writes", writes), ...rows("writes last", writesLast)]);
});
