import { forEachChild, type ParsedScript, type SyntaxNode } from "unbash";
import { type NodeSpan, report, type ShellWalk, sourceOf } from "./walk-context.ts";

/**
 * Verifies the result of the parser: between the words of a script there may only be blanks, comments, operators and reserved words.
 * Anything else means that the parser skipped text or split a word.
 */
export function verifyParse(script: ParsedScript, walk: ShellWalk): void {
  const leaves: ParsedSpan[] = [];
  for (const statement of script.commands) collectLeaves(statement, false, leaves);
  leaves.sort((a, b) => a.pos - b.pos);
  let at = script.pos;
  for (const [index, leaf] of leaves.entries()) {
    checkGap({ pos: at, end: leaf.pos }, index > 0, leaf, walk);
    const isAdjacent = leaf.pos <= at && index > 0 && !leaf.opens;
    if (leaf.pos < at || isAdjacent) report(walk, "lexical", leaf, "two words without a blank between them");
    at = leaf.end;
  }
  checkGap({ pos: at, end: script.end }, leaves.length > 0, undefined, walk);
}

interface ParsedSpan extends NodeSpan {
  /** May directly follow a word, as `>` does. */
  readonly opens: boolean;
  /** Inside `[[ ]]`, where operators look like words. */
  readonly test: boolean;
}

function collectLeaves(node: SyntaxNode, test: boolean, leaves: ParsedSpan[]): void {
  switch (node.type) {
    case "Word":
    case "Assignment":
      leaves.push({ pos: node.pos, end: node.end, opens: false, test });
      return;
    case "Redirect":
    case "HereString":
    case "HereDoc":
      leaves.push({ pos: node.pos, end: node.end, opens: true, test });
      if (node.type === "HereDoc")
        leaves.push({ pos: node.body.pos, end: node.closing?.end ?? node.body.end, opens: true, test });
      return;
    case "TestCommand":
      leaves.push({ pos: node.pos, end: node.pos + 2, opens: false, test: false });
      collectLeaves(node.expression, true, leaves);
      leaves.push({ pos: node.end - 2, end: node.end, opens: false, test: true });
      return;
    default:
      forEachChild(node, (child) => collectLeaves(child, test, leaves));
  }
}

const operators =
  /[ \t\n]+|;;&|;;|;&|&&|\|\||\|&|[;&|(){}!]|(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac)(?=[ \t\n;&|()]|$)/y;
const testOperators = /[ \t\n]+|&&|\|\||[()!<>]|==?|=~|!=|-[a-zA-Z]{1,2}(?=[ \t\n])/y;

/** Checks the text between two leaves, before the first one or after the last one. */
function checkGap(gap: NodeSpan, isBehindLeaf: boolean, next: ParsedSpan | undefined, walk: ShellWalk): void {
  const text = sourceOf(walk.scope, gap);
  const pattern = next?.test ? testOperators : operators;
  // Whether a reserved word or a comment may begin at this position.
  let mayStartWord = !isBehindLeaf;
  for (let at = 0; at < text.length; ) {
    if (text[at] === "#" && mayStartWord) {
      const line = text.indexOf("\n", at);
      at = line < 0 ? text.length : line;
      continue;
    }
    pattern.lastIndex = at;
    const token = pattern.exec(text)?.[0];
    const word = token !== undefined && /^[a-z]/.test(token);
    const isAdjacent = word && (!mayStartWord || (next && at + token.length === text.length));
    if (token === undefined || isAdjacent) {
      report(walk, "lexical", { pos: gap.pos + at, end: gap.end }, text.slice(at, at + 20));
      return;
    }
    mayStartWord = !word;
    at += token.length;
  }
}
