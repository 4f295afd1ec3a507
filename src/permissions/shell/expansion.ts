import {
  type ArithmeticExpansionPart,
  type CommandExpansionPart,
  forEachChild,
  type ParameterExpansionPart,
  type ProcessSubstitutionPart,
  type SimpleExpansionPart,
  type SyntaxNode,
  type Word,
} from "unbash";
import { fixedScope, report, type TextSource, type WordFindings } from "./scope.ts";

/** `$x`, `$1`, `$?`: harmless wherever it stands, as bash does not read its value again. */
export function readSimple(part: SimpleExpansionPart, scope: TextSource, found: WordFindings): void {
  const raw = scope.source.slice(part.pos, part.end);
  if (!/^\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])$/.test(raw)) report(found, "lexical", scope, part, raw);
}

// Subscripts, `!`, `@` and offsets make bash evaluate text; quotes and backslashes inside braces are read by rules of their own.
const plainParameter = /^\$\{(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?$#*-])(?:\}|:?[-=+?]|##?|%%?|\/[/#%]?|\^\^?|,,?)/;

export function readParameter(
  part: ParameterExpansionPart,
  scope: TextSource,
  found: WordFindings,
  readOperand: (word: Word, scope: TextSource, found: WordFindings) => void,
): void {
  const raw = scope.source.slice(part.pos, part.end);
  const operation = part.operation;
  const plain = plainParameter.test(raw) && !/['"\\]/.test(raw) && part.index === undefined && part.prefix !== "!";
  if (!plain || !raw.endsWith("}")) report(found, "second-evaluation", scope, part, raw);
  if (part.index) readOperand(part.index, scope, found);
  switch (operation?.type) {
    case undefined:
      if (!/^\$\{#?[A-Za-z0-9_?$#*-]+\}$/.test(raw)) report(found, "second-evaluation", scope, part, raw);
      return;
    case "Default":
      readOperand(operation.operand, scope, found);
      // The message is printed: a variable in it would be shown.
      if (operation.operator.endsWith("?") && /[$`]/.test(raw.slice(2))) report(found, "construct", scope, part, raw);
      if (operation.operator.endsWith("=")) {
        found.names.push({ name: part.parameter, at: scope.span(part.pos, part.end) });
      }
      return;
    case "Remove":
      readOperand(operation.operand, scope, found);
      return;
    case "Replace":
      readOperand(operation.pattern, scope, found);
      readOperand(operation.replacement, scope, found);
      return;
    case "CaseModification":
      if (operation.operand) readOperand(operation.operand, scope, found);
      return;
    case "Slice":
      readOperand(operation.offset, scope, found);
      if (operation.length) readOperand(operation.length, scope, found);
      report(found, "second-evaluation", scope, part, raw);
      return;
    case "Transform":
      readOperand(operation.operand, scope, found);
      report(found, "second-evaluation", scope, part, raw);
      return;
    default:
      report(found, "second-evaluation", scope, part, raw);
      collectScripts(part, scope, found);
  }
}

/** `$(…)`, backticks and `<(…)`: the script inside is walked later, its own errors count. */
export function readSubstitution(
  part: CommandExpansionPart | ProcessSubstitutionPart,
  scope: TextSource,
  found: WordFindings,
): void {
  const raw = scope.source.slice(part.pos, part.end);
  const script = part.script;
  if (script === undefined) {
    report(found, "syntax", scope, part, raw);
    return;
  }
  const tick = raw.startsWith("`");
  const opened = part.type === "ProcessSubstitution" ? /^[<>]\((?!\()/.test(raw) : tick || /^\$\((?!\()/.test(raw);
  if (!opened || !raw.endsWith(tick ? "`" : ")") || raw.length < 2) report(found, "construct", scope, part, raw);
  // Inside backticks a backslash is taken away before the inner text is read.
  if (tick && raw.includes("\\")) report(found, "construct", scope, part, raw);
  const inner =
    script.source === undefined && !tick
      ? scope
      : fixedScope(script.source ?? scope.source, scope.span(part.pos, part.end));
  found.nested.push({ script, scope: inner });
}

/** `$((…))`: a name in it would have its value evaluated, so only digits and operators pass. */
export function readArithmetic(part: ArithmeticExpansionPart, scope: TextSource, found: WordFindings): void {
  const raw = scope.source.slice(part.pos, part.end);
  const inner = /^\$\(\(([\s\S]*)\)\)$/.exec(raw)?.[1] ?? /^\$\[([\s\S]*)\]$/.exec(raw)?.[1];
  if (inner === undefined || !/^[0-9+\-*/%()<>=!&|^~,?: \t]*$/.test(inner)) {
    report(found, "second-evaluation", scope, part, raw);
    collectScripts(part, scope, found);
  }
}

/** The scripts anywhere below a node that is refused: they are no reason to allow, but every reason to deny. */
export function collectScripts(node: SyntaxNode, scope: TextSource, found: WordFindings): void {
  forEachChild(node, (child) => {
    if (child.type === "CommandExpansion" || child.type === "ProcessSubstitution") {
      readSubstitution(child, scope, found);
    } else if (child.type === "Script") found.nested.push({ script: child, scope });
    else collectScripts(child, scope, found);
  });
}
