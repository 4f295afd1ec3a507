import { type ShellWord, staticValue } from "../shell-part.ts";
import type { FileProgram } from "./file-programs.ts";
import { isOption, isValueOf, optionValues } from "./option-values.ts";

/** Words of a program that name what it writes, though its operands are mostly read. */
export function writtenWords(head: string, args: readonly ShellWord[], program: FileProgram): readonly ShellWord[] {
  if (head === "tar") return writtenByTar(args);
  const plain = args.filter((word, index) => !isOption(word) && !isValueOf(program.text, args[index - 1]));
  if (/^(gzip|bzip2|xz)$/.test(head)) return args.some((word) => keepsSource.test(word.pieces[0])) ? [] : plain;
  // awk -i inplace, yq -i
  const inPlace = /^([gmn]?awk)$/.test(head) ? /^inplace/ : head === "yq" ? /^(-[a-zA-Z]*i|--inplace)/ : undefined;
  if (inPlace) return args.some((word) => inPlace.test(word.pieces[0])) ? plain : [];
  const named = program.outputs ? optionValues(args, program.outputs) : [];
  return program.writesOperand === undefined ? named : [...named, ...plain.slice(program.writesOperand).slice(0, 1)];
}

/** What is printed, listed or tested stays as it is. */
const keepsSource = /^(-[a-zA-Z]*[ckltV]|--(stdout|to-stdout|keep|list|test|version|help))/;

/** Of an archive that is made, its file; of one that is unpacked, the folder. */
function writtenByTar(args: readonly ShellWord[]): readonly ShellWord[] {
  const words = withDashes(args);
  const does = (letter: RegExp, long: RegExp) =>
    words.some(({ pieces: [text] }) => (text.startsWith("--") ? long : letter).test(text));
  return [
    ...(does(/^-[A-Za-z]*[cruA]/, /^--(create|append|update|concatenate|catenate|delete)$/)
      ? optionValues(words, { short: "f", long: ["--file"] })
      : []),
    ...(does(/^-[A-Za-z]*x/, /^--(extract|get)$/) ? optionValues(words, { short: "C", long: ["--directory"] }) : []),
  ];
}

/** `tar xfC a dir` as `tar -x -f a -C dir`: without a dash the values follow in the order of the letters. */
function withDashes(args: readonly ShellWord[]): readonly ShellWord[] {
  const [first, ...rest] = args;
  const letters = first && /^[A-Za-z]+$/.exec(staticValue(first) ?? "")?.[0];
  if (first === undefined || letters === undefined) return args;
  const words: ShellWord[] = [];
  for (const letter of letters) {
    words.push({ ...first, pieces: [`-${letter}`] });
    const value = "bCfFgHIKLNTVX".includes(letter) ? rest.shift() : undefined;
    if (value) words.push(value);
  }
  return [...words, ...rest];
}
