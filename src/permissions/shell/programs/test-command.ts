import type { TestExpression, Word } from "unbash";
import { type Found, report, type Scope } from "../scope.ts";
import { type ReadWord, readWord } from "../word.ts";

const evaluatesName = new Set(["-v", "-R"]);
const plainUnary = new Set("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -z -n -o".split(" "));
const plainBinary = new Set("= == != =~ < > -nt -ot -ef".split(" "));
const asksFile = /^-[abcdefghkprsuwxGLNOS]$/;
const comparesFiles = /^-(nt|ot|ef)$/;
const arithmetic = new Set("-eq -ne -lt -le -gt -ge".split(" "));

/** A question about files, as `[ … ]` would ask it: `-e x`, `x -nt y`. */
export type FileTest = readonly (ReadWord | string)[];

/** `[[ … ]]`: comparing numbers evaluates both sides, so only written-out numbers pass. Gives its questions about files. */
export function checkTest(expression: TestExpression, scope: Scope, found: Found): readonly FileTest[] {
  switch (expression.type) {
    case "TestUnary": {
      const { operator } = expression;
      const operand = readWord(expression.operand, scope, found);
      const code = evaluatesName.has(operator) ? "second-evaluation" : "construct";
      if (!plainUnary.has(operator)) report(found, code, scope, expression, operator);
      return asksFile.test(operator) ? [[operator, operand]] : [];
    }
    case "TestBinary": {
      const { operator } = expression;
      const [left, right] = [readWord(expression.left, scope, found), readWord(expression.right, scope, found)];
      const numbers = arithmetic.has(operator) && isInteger(expression.left) && isInteger(expression.right);
      if (!plainBinary.has(operator) && !numbers) report(found, "second-evaluation", scope, expression, operator);
      return comparesFiles.test(operator) ? [[left, operator, right]] : [];
    }
    case "TestLogical":
      return expression.operands.flatMap((operand) => checkTest(operand, scope, found));
    case "TestNot":
      return checkTest(expression.operand, scope, found);
    case "TestGroup":
      return checkTest(expression.expression, scope, found);
    default:
      report(found, "construct", scope, expression satisfies never, "test");
      return [];
  }
}

function isInteger(word: Word): boolean {
  return /^-?[0-9]+$/.test(word.text);
}
