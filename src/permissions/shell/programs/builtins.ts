import type { TestExpression, Word } from "unbash";
import { type ShellWord, staticValue } from "../shell-part.ts";
import { report, type WordFindings } from "../walk-context.ts";
import { type ReadWord, readWord } from "../word.ts";

/** Builtins that evaluate text again, or change what later words mean. */
const evaluating = new Set(
  (
    "eval let declare typeset local readonly export unset read mapfile readarray trap wait getopts compgen complete compopt " +
    "bind fc history hash enable alias unalias set shopt source . exec"
  ).split(" "),
);

/** Builtins that only change which command runs next. */
const steering = new Set(["exit", "return", "break", "continue", "shift"]);

/** What a builtin does in one of its plain forms. */
export interface PlainForm {
  /** Variables that it sets in the shell only. */
  readonly sets: readonly string[];
  /** Variables that it exports. */
  readonly exports: readonly string[];
  /** The known values that it assigns. */
  readonly values: readonly (readonly [name: string, value: string])[];
}

const nothingSet: PlainForm = { sets: [], exports: [], values: [] };

/** Whether a head is a builtin that may set a variable. */
export function isBuiltin(head: string): boolean {
  return evaluating.has(head) || head === "printf";
}

/** Undefined if the head is not such a builtin, `"evaluates"` if it evaluates text again; otherwise what its plain form sets. */
export function readBuiltin(head: string, args: readonly ShellWord[]): PlainForm | "evaluates" | undefined {
  if (head === "printf") return printfEvaluates(args) ? "evaluates" : undefined;
  if (head === "test" || head === "[") return testEvaluates(args) ? "evaluates" : undefined;
  if (head === "jobs") {
    return args.some((word) => !/^(-[lnprs]+|%?\d+)$/.test(staticValue(word) ?? "")) ? "evaluates" : undefined;
  }
  if (head === ":") return nothingSet;
  if (steering.has(head)) return args.every((word) => /^\d+$/.test(staticValue(word) ?? "")) ? nothingSet : undefined;
  if (!evaluating.has(head)) return undefined;
  const values = args.map((word) => (/[$`[]/.test(word.raw) ? undefined : staticValue(word)));
  if (values.some((value) => value === undefined)) return "evaluates";
  return plainForm(head, values as string[]) ?? "evaluates";
}

function plainForm(head: string, args: readonly string[]): PlainForm | undefined {
  switch (head) {
    case "set":
      return isPlainSet(args) ? nothingSet : undefined;
    case "wait":
      return args.every((arg) => /^%?\d+$/.test(arg)) ? nothingSet : undefined;
    case "read": {
      const names = args[0] === "-r" ? args.slice(1) : args;
      return names.length > 0 && names.every(isName) ? { sets: names, exports: [], values: [] } : undefined;
    }
    case "export": {
      const pairs = args.map((arg) => /^([A-Za-z_][A-Za-z0-9_]*)(?:=([\s\S]*))?$/.exec(arg));
      if (args.length === 0 || !pairs.every((pair) => pair !== null)) return undefined;
      const values = pairs.flatMap(([, name = "", value]) => (value === undefined ? [] : [[name, value] as const]));
      return { sets: [], exports: pairs.map(([, name = ""]) => name), values };
    }
    default:
      return undefined;
  }
}

/** `set -e`, `set -euo pipefail`, `set +e`: only changes how failures end the script. */
function isPlainSet(args: readonly string[]): boolean {
  return (
    args.length > 0 &&
    /^(?:\0[-+](?:[eu]+|[eu]*o\0(?:pipefail|errexit|nounset)))+$/.test(args.map((arg) => `\0${arg}`).join(""))
  );
}

/** `printf -v name` evaluates the name. An unknown first word may be `-v`. */
function printfEvaluates(args: readonly ShellWord[]): boolean {
  const first = args[0];
  if (first === undefined) return false;
  const value = staticValue(first);
  return value === undefined ? first.splits || !/^[^-]/.test(first.pieces[0]) : value.startsWith("-") && value !== "--";
}

/**
 * `test -v name` evaluates the name, and so does `test "$a" "$b"` if `$a` is `-v`. So an unknown word must not split, and the word after
 * it must be known and have no subscript.
 */
function testEvaluates(args: readonly ShellWord[]): boolean {
  return args.some((word, index) => {
    const value = staticValue(word);
    if (value !== undefined) return value === "-v" || value === "-R";
    if (word.splits && !/^\$[?#]$/.test(word.raw)) return true;
    const next = args[index + 1];
    return next !== undefined && (staticValue(next)?.includes("[") ?? true);
  });
}

function isName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(text);
}

const plainUnary = new Set("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -z -n -o".split(" "));
const plainBinary = new Set("= == != =~ < > -nt -ot -ef".split(" "));
export const asksFile = /^-[abcdefghkprsuwxGLNOS]$/;
export const comparesFiles = /^-(nt|ot|ef)$/;
const arithmetic = new Set("-eq -ne -lt -le -gt -ge".split(" "));

/** A test of files, as in `[ … ]`: `-e x`, `x -nt y`. */
export type FileTest = readonly (ReadWord | string)[];

/** Checks `[[ … ]]` and returns its tests of files. Comparing numbers evaluates both sides, so only literal numbers are accepted. */
export function checkTest(expression: TestExpression, findings: WordFindings): readonly FileTest[] {
  switch (expression.type) {
    case "TestUnary": {
      const { operator } = expression;
      const operand = readWord(expression.operand, findings);
      const code = operator === "-v" || operator === "-R" ? "second-evaluation" : "construct";
      if (!plainUnary.has(operator)) report(findings, code, expression, operator);
      return asksFile.test(operator) ? [[operator, operand]] : [];
    }
    case "TestBinary": {
      const { operator } = expression;
      const [left, right] = [readWord(expression.left, findings), readWord(expression.right, findings)];
      const numbers = arithmetic.has(operator) && isInteger(expression.left) && isInteger(expression.right);
      if (!plainBinary.has(operator) && !numbers) report(findings, "second-evaluation", expression, operator);
      return comparesFiles.test(operator) ? [[left, operator, right]] : [];
    }
    case "TestLogical":
      return expression.operands.flatMap((operand) => checkTest(operand, findings));
    case "TestNot":
      return checkTest(expression.operand, findings);
    case "TestGroup":
      return checkTest(expression.expression, findings);
    default:
      report(findings, "construct", expression satisfies never, "test");
      return [];
  }
}

function isInteger(word: Word): boolean {
  return /^-?[0-9]+$/.test(word.text);
}
