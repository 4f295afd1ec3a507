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

/** `$x`, `$1`, `$?`: harmless, because bash does not evaluate the value again. */
export function readSimple(part: SimpleExpansionPart, scope: TextSource, findings: WordFindings): void {
  const raw = scope.source.slice(part.pos, part.end);
  if (!/^\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])$/.test(raw)) report(findings, "lexical", scope, part, raw);
}

// Excludes subscripts, `!`, `@` and offsets, because bash evaluates their text, and quotes and backslashes, which have special rules inside braces.
const plainParameter = /^\$\{(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?$#*-])(?:\}|:?[-=+?]|##?|%%?|\/[/#%]?|\^\^?|,,?)/;

export function readParameter(
  part: ParameterExpansionPart,
  scope: TextSource,
  findings: WordFindings,
  readOperand: (word: Word, scope: TextSource, findings: WordFindings) => void,
): void {
  const raw = scope.source.slice(part.pos, part.end);
  const operation = part.operation;
  const plain = plainParameter.test(raw) && !/['"\\]/.test(raw) && part.index === undefined && part.prefix !== "!";
  if (!plain || !raw.endsWith("}")) report(findings, "second-evaluation", scope, part, raw);
  if (part.index) readOperand(part.index, scope, findings);
  switch (operation?.type) {
    case undefined:
      if (!/^\$\{#?[A-Za-z0-9_?$#*-]+\}$/.test(raw)) report(findings, "second-evaluation", scope, part, raw);
      return;
    case "Default":
      readOperand(operation.operand, scope, findings);
      // `${x:?message}` prints the message, which would reveal a variable in it.
      if (operation.operator.endsWith("?") && /[$`]/.test(raw.slice(2)))
        report(findings, "construct", scope, part, raw);
      if (operation.operator.endsWith("=")) {
        findings.names.push({ name: part.parameter, at: scope.span(part.pos, part.end) });
      }
      return;
    case "Remove":
      readOperand(operation.operand, scope, findings);
      return;
    case "Replace":
      readOperand(operation.pattern, scope, findings);
      readOperand(operation.replacement, scope, findings);
      return;
    case "CaseModification":
      if (operation.operand) readOperand(operation.operand, scope, findings);
      return;
    case "Slice":
      readOperand(operation.offset, scope, findings);
      if (operation.length) readOperand(operation.length, scope, findings);
      report(findings, "second-evaluation", scope, part, raw);
      return;
    case "Transform":
      readOperand(operation.operand, scope, findings);
      report(findings, "second-evaluation", scope, part, raw);
      return;
    default:
      report(findings, "second-evaluation", scope, part, raw);
      collectScripts(part, scope, findings);
  }
}

/** `$(…)`, backticks and `<(…)`: the script inside is walked later, with its own errors. */
export function readSubstitution(
  part: CommandExpansionPart | ProcessSubstitutionPart,
  scope: TextSource,
  findings: WordFindings,
): void {
  const raw = scope.source.slice(part.pos, part.end);
  const script = part.script;
  if (script === undefined) {
    report(findings, "syntax", scope, part, raw);
    return;
  }
  const tick = raw.startsWith("`");
  const opened = part.type === "ProcessSubstitution" ? /^[<>]\((?!\()/.test(raw) : tick || /^\$\((?!\()/.test(raw);
  if (!opened || !raw.endsWith(tick ? "`" : ")") || raw.length < 2) report(findings, "construct", scope, part, raw);
  // Inside backticks bash removes backslashes before it parses the text.
  if (tick && raw.includes("\\")) report(findings, "construct", scope, part, raw);
  const inner =
    script.source === undefined && !tick
      ? scope
      : fixedScope(script.source ?? scope.source, scope.span(part.pos, part.end));
  findings.nested.push({ script, scope: inner });
}

/** `$((…))`: bash evaluates the values of names in it, so only digits and operators are accepted. */
export function readArithmetic(part: ArithmeticExpansionPart, scope: TextSource, findings: WordFindings): void {
  const raw = scope.source.slice(part.pos, part.end);
  const inner = /^\$\(\(([\s\S]*)\)\)$/.exec(raw)?.[1] ?? /^\$\[([\s\S]*)\]$/.exec(raw)?.[1];
  if (inner === undefined || !/^[0-9+\-*/%()<>=!&|^~,?: \t]*$/.test(inner)) {
    report(findings, "second-evaluation", scope, part, raw);
    collectScripts(part, scope, findings);
  }
}

/** Collects the scripts below a node that is not analysed. They may be denied, even though the text cannot be allowed. */
export function collectScripts(node: SyntaxNode, scope: TextSource, findings: WordFindings): void {
  forEachChild(node, (child) => {
    if (child.type === "CommandExpansion" || child.type === "ProcessSubstitution") {
      readSubstitution(child, scope, findings);
    } else if (child.type === "Script") findings.nested.push({ script: child, scope });
    else collectScripts(child, scope, findings);
  });
}
