import { defined } from "../../../protocol/internal.ts";
import type { WantedOptions } from "./program-options.ts";

/** What a program does with its operands, and which of its words are not files. */
export interface FileProgram {
  readonly does: "reads" | "writes" | "writes last";
  /** Letters of options whose value, in the next word, is text. */
  readonly text: string;
  /** The first operand is text: a pattern, a script or a mode. With an option of one of these letters it is a file too. */
  readonly textFirst?: string;
  /** Options whose value is a file that the program writes. */
  readonly outputs?: WantedOptions;
  /** The index of the operand that the program writes. */
  readonly writesOperand?: number;
}

/** Letters of options whose value is text, by program. */
const textOptions: Readonly<Record<string, string>> = {
  head: "nc",
  tail: "nc",
  cut: "bcdf",
  nl: "bdfhilnsvw",
  od: "AjNtw",
  xxd: "lsc",
  grep: "eABCmd",
  egrep: "eABCmd",
  fgrep: "eABCmd",
  rg: "eABCmgtTMj",
  ag: "ABCm",
  awk: "Fv",
  gawk: "Fv",
  mawk: "Fv",
  nawk: "Fv",
  zgrep: "eABCmd",
  join: "12aeotv",
  iconv: "ft",
  shuf: "ein",
  pr: "hlosw",
  expand: "t",
  unexpand: "t",
  base32: "w",
  csplit: "fbn",
  sed: "el",
  sort: "kt",
  uniq: "fsw",
  paste: "d",
  diff: "UCWxIF",
  stat: "c",
  column: "stN",
  fold: "w",
  fmt: "w",
  base64: "w",
  split: "abln",
  touch: "dt",
  truncate: "s",
  mkdir: "m",
  shred: "ns",
  install: "mog",
  scp: "Pol",
};

const textFirst: Readonly<Record<string, string>> = {
  grep: "ef",
  egrep: "ef",
  fgrep: "ef",
  rg: "ef",
  ag: "",
  awk: "f",
  gawk: "f",
  mawk: "f",
  nawk: "f",
  zgrep: "ef",
  sed: "ef",
  jq: "f",
  yq: "",
  chmod: "",
  chown: "",
  chgrp: "",
};

const outputs: Readonly<Record<string, WantedOptions>> = {
  sort: { short: "o", long: ["--output"] },
  shuf: { short: "o", long: ["--output"] },
  iconv: { short: "o", long: ["--output"] },
  patch: { short: "or", long: ["--output", "--reject-file"] },
  csplit: { short: "f", long: ["--prefix"] },
  zip: { short: "O", long: ["--output-file", "--out"] },
  zstd: { short: "o" },
  sdiff: { short: "o", long: ["--output"] },
};

const writesOperand: Readonly<Record<string, number>> = { uniq: 1, xxd: 1, split: 1, zip: 0, lz4: 1 };

const reads =
  "cat head tail less more nl wc od xxd hexdump strings grep egrep fgrep rg ag awk sort uniq cut paste diff cmp comm file stat " +
  "base64 md5sum sha1sum sha256sum sha512sum cksum jq yq bat tac rev fold fmt column source . tar zip gzip bzip2 xz split " +
  "gawk mawk nawk batcat pr expand unexpand base32 basenc b2sum sum sha224sum sha384sum zcat zless zmore zgrep bzcat xzcat zstd lz4 " +
  "zstdcat join sdiff tsort shuf csplit iconv hd most view vimdiff";
const writes =
  "rm rmdir mv tee touch truncate mkdir chmod chown chgrp unlink shred dd sed patch ed ex vi vim nvim nano mkfifo mknod unzip gunzip sponge";
const writesLast = "cp ln install rsync scp link";

let table: ReadonlyMap<string, FileProgram> | undefined;

/** The programs that work on the files in their operands, by name. Built on the first call, so that loading the module is cheap. */
export function filePrograms(): ReadonlyMap<string, FileProgram> {
  table ??= new Map([...rowsOf("reads", reads), ...rowsOf("writes", writes), ...rowsOf("writes last", writesLast)]);
  return table;
}

function rowsOf(does: FileProgram["does"], names: string): (readonly [string, FileProgram])[] {
  return names.split(" ").map((name) => {
    const optional = defined({
      textFirst: textFirst[name],
      outputs: outputs[name],
      writesOperand: writesOperand[name],
    });
    return [name, { does, text: textOptions[name] ?? "", ...optional }];
  });
}
