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
import { fixedScope, report, sourceOf, type WordFindings } from "./walk-context.ts";

/** `$x`, `$1`, `$?`: harmless, because bash does not evaluate the value again. */
export function readSimple(part: SimpleExpansionPart, findings: WordFindings): void {
  const raw = sourceOf(findings.scope, part);
  if (!/^\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])$/.test(raw)) report(findings, "lexical", part);
}

// Excludes subscripts, `!`, `@` and offsets, because bash evaluates their text, and quotes and backslashes, which have special rules inside braces.
const plainParameter = /^\$\{(#?)([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?$#*-])(?:\}|:?[-=+?]|##?|%%?|\/[/#%]?|\^\^?|,,?)/;

export function readParameter(
  part: ParameterExpansionPart,
  findings: WordFindings,
  readOperand: (word: Word, findings: WordFindings) => unknown,
): void {
  const raw = sourceOf(findings.scope, part);
  const { operation } = part;
  const plain = plainParameter.test(raw) && !/['"\\]/.test(raw) && part.index === undefined && part.prefix !== "!";
  if (!plain || !raw.endsWith("}")) report(findings, "second-evaluation", part);
  if (part.index) readOperand(part.index, findings);
  if (operation === undefined) {
    if (!/^\$\{#?[A-Za-z0-9_?$#*-]+\}$/.test(raw)) report(findings, "second-evaluation", part);
    return;
  }
  forEachChild(operation, (child) => {
    if (child.type === "Word") readOperand(child, findings);
  });
  if (operation.type === "Default") {
    // `${x:?message}` prints the message, which would reveal a variable in it.
    if (operation.operator.endsWith("?") && /[$`]/.test(raw.slice(2))) report(findings, "construct", part);
    if (operation.operator.endsWith("=")) {
      findings.names.push({ name: part.parameter, at: findings.scope.span(part.pos, part.end) });
    }
  } else if (!/^(?:Remove|Replace|CaseModification)$/.test(operation.type)) {
    report(findings, "second-evaluation", part);
  }
}

/** `$(…)`, backticks and `<(…)`: the script inside is walked later, with its own errors. */
export function readSubstitution(part: CommandExpansionPart | ProcessSubstitutionPart, findings: WordFindings): void {
  const { scope } = findings;
  const raw = sourceOf(scope, part);
  const script = part.script;
  if (script === undefined) {
    report(findings, "syntax", part);
    return;
  }
  const tick = raw.startsWith("`");
  const opened = part.type === "ProcessSubstitution" ? /^[<>]\((?!\()/.test(raw) : tick || /^\$\((?!\()/.test(raw);
  if (!opened || !raw.endsWith(tick ? "`" : ")") || raw.length < 2) report(findings, "construct", part);
  // Inside backticks bash removes backslashes before it parses the text.
  if (tick && raw.includes("\\")) report(findings, "construct", part);
  const inner =
    script.source === undefined && !tick
      ? scope
      : fixedScope(script.source ?? scope.source, scope.span(part.pos, part.end));
  findings.nested.push({ script, scope: inner });
}

/** `$((…))`: bash evaluates the values of names in it, so only digits and operators are accepted. */
export function readArithmetic(part: ArithmeticExpansionPart, findings: WordFindings): void {
  const raw = sourceOf(findings.scope, part);
  const inner = /^\$\(\(([\s\S]*)\)\)$/.exec(raw)?.[1] ?? /^\$\[([\s\S]*)\]$/.exec(raw)?.[1];
  if (inner === undefined || !/^[0-9+\-*/%()<>=!&|^~,?: \t]*$/.test(inner)) {
    report(findings, "second-evaluation", part);
    collectScripts(part, findings);
  }
}

/** Collects the scripts below a node that is not analyzed. They may be denied, even though the text cannot be allowed. */
export function collectScripts(node: SyntaxNode, findings: WordFindings): void {
  forEachChild(node, (child) => {
    if (child.type === "CommandExpansion" || child.type === "ProcessSubstitution") {
      readSubstitution(child, findings);
    } else if (child.type === "Script") findings.nested.push({ script: child, scope: findings.scope });
    else collectScripts(child, findings);
  });
}
