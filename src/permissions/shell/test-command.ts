import type { TestExpression, Word } from "unbash";
import { type Found, report, type Scope } from "./scope.ts";
import { readWord } from "./word.ts";

const evaluatesName = new Set(["-v", "-R"]);
const plainUnary = new Set("-a -b -c -d -e -f -g -h -k -p -r -s -t -u -w -x -G -L -N -O -S -z -n -o".split(" "));
const plainBinary = new Set("= == != =~ < > -nt -ot -ef".split(" "));
const arithmetic = new Set("-eq -ne -lt -le -gt -ge".split(" "));

/** `[[ … ]]`: comparing numbers evaluates both sides, so only written-out numbers pass. */
export function checkTest(expression: TestExpression, scope: Scope, found: Found): void {
  switch (expression.type) {
    case "TestUnary":
      readWord(expression.operand, scope, found);
      if (plainUnary.has(expression.operator)) return;
      report(
        found,
        evaluatesName.has(expression.operator) ? "second-evaluation" : "construct",
        scope,
        expression,
        expression.operator,
      );
      break;
    case "TestBinary":
      readWord(expression.left, scope, found);
      readWord(expression.right, scope, found);
      if (plainBinary.has(expression.operator)) return;
      if (arithmetic.has(expression.operator) && isInteger(expression.left) && isInteger(expression.right)) return;
      report(found, "second-evaluation", scope, expression, expression.operator);
      break;
    case "TestLogical":
      for (const operand of expression.operands) checkTest(operand, scope, found);
      return;
    case "TestNot":
      checkTest(expression.operand, scope, found);
      break;
    case "TestGroup":
      checkTest(expression.expression, scope, found);
      break;
    default:
      report(found, "construct", scope, expression satisfies never, "test");
  }
}

function isInteger(word: Word): boolean {
  return /^-?[0-9]+$/.test(word.text);
}
