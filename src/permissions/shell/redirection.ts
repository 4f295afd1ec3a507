import type { HereDoc, Redirection } from "unbash";
import { expandWord, knownIn, revealedNames, walkFindings } from "./assignment.ts";
import { collectScripts, readArithmetic, readParameter, readSimple, readSubstitution } from "./expansion.ts";
import { noFindings, report, type TextSource, type WordFindings } from "./scope.ts";
import { staticValue } from "./shell-part.ts";
import { placesIn, type ShellState } from "./shell-state.ts";
import type { ShellWalk } from "./walk-context.ts";
import { type ReadWord, readWord } from "./word.ts";
import { readQuoted } from "./word-pieces.ts";

/** Redirections as parts of their own: a write or a read each, but for copies and closings of descriptors. */
export function walkRedirections(redirections: readonly Redirection[], state: ShellState, walk: ShellWalk): void {
  for (const redirection of redirections) {
    const found = noFindings();
    readRedirection(redirection, state, walk, found);
    walkFindings(found, state, walk);
  }
}

function readRedirection(node: Redirection, state: ShellState, walk: ShellWalk, found: WordFindings): void {
  const { scope } = walk;
  const descriptor = node.descriptor;
  if (descriptor?.type === "FileDescriptorVariable") {
    if (walk.dialect !== "bash") report(found, "construct", scope, node, "{name}> is not every shell's");
    found.names.push({ name: descriptor.name, at: scope.span(descriptor.pos, descriptor.end) });
  }
  if (node.type === "HereDoc") {
    readHeredoc(node, scope, found);
    return;
  }
  if (node.target === undefined) {
    report(found, "syntax", scope, node, "a redirection without a target");
    return;
  }
  const target = expandWord(readWord(node.target, scope, found), state, walk);
  if (node.type === "HereString") return;
  if (node.operator === ">&" || node.operator === "<&") {
    if (/^([0-9]+|-)$/.test(target.raw)) return;
    if (target.raw.startsWith("-")) {
      report(found, "syntax", scope, node, `a word right behind ${node.operator}-`);
      return;
    }
    report(found, "second-evaluation", scope, node, scope.source.slice(node.pos, node.end));
  }
  const at = scope.span(node.pos, node.end);
  const { via } = walk;
  const places = placesIn(state);
  const writes = node.operator !== "<" && node.operator !== "<&";
  walk.parts.push({ kind: writes ? "write" : "read", operator: node.operator, target, at, via, places });
  if (node.operator === "<>") walk.parts.push({ kind: "read", operator: "<>", target, at, via, places });
}

/** In `>&-rm x` bash closes a descriptor and runs `rm x`: what follows the sign is a word of the command. */
export function wordsBehindClosings(redirections: readonly Redirection[], scope: TextSource): ReadWord[] {
  return redirections.flatMap((node) => {
    const closes = node.type === "Redirect" && (node.operator === ">&" || node.operator === "<&");
    const { pos, end } = (closes && node.target) || { pos: 0, end: 0 };
    const raw = scope.source.slice(pos, end);
    if (!raw.startsWith("-") || raw === "-") return [];
    const text = raw.slice(1);
    // Quotes are dropped roughly: the text counts as one that could not be read anyway.
    const pieces: ReadWord["pieces"] = /[$`]/.test(text) ? ["", ""] : [text.replace(/['"\\]/g, "")];
    const at = scope.span(pos + 1, end);
    return [{ pieces, raw: text, at, splits: pieces.length > 1, behindVariable: false, readings: [] }];
  });
}

function readHeredoc(node: HereDoc, scope: TextSource, found: WordFindings): void {
  const delimiter = node.delimiter;
  const known =
    delimiter &&
    /^(?:([\w.+-]+)|'[\w.+-]+'|"[\w.+-]+"|\\[\w.+-]+)$/.test(scope.source.slice(delimiter.pos, delimiter.end));
  if (!known || node.closing === undefined) {
    report(found, "syntax", scope, node, "a here-document without a plain delimiter or an end");
  }
  const { body } = node;
  if (delimiter?.quoted) {
    if (known && node.closing) scope.heredocs?.add(body.pos);
    return;
  }
  const parts = body.parts;
  if (parts === undefined) {
    const text = scope.source.slice(body.pos, body.end);
    if (!readQuoted(text, true).clean) report(found, "lexical", scope, body, "here-document");
    return;
  }
  for (const part of parts) {
    const raw = scope.source.slice(part.pos, part.end);
    if (part.type === "Literal") {
      if (!readQuoted(raw, true).clean) report(found, "lexical", scope, part, raw);
    } else if (part.type === "SimpleExpansion") readSimple(part, scope, found);
    else if (part.type === "ParameterExpansion") readParameter(part, scope, found, readWord);
    else if (part.type === "CommandExpansion") readSubstitution(part, scope, found);
    else if (part.type === "ArithmeticExpansion") readArithmetic(part, scope, found);
    else {
      report(found, "construct", scope, part, raw);
      collectScripts(part, scope, found);
    }
  }
  if (parts.some((part, index) => part.pos !== (index === 0 ? body.pos : parts[index - 1]?.end))) {
    report(found, "lexical", scope, body, "here-document");
  }
}

/** Variables that a here-document or here-string puts before a command, and that may hold a secret. */
export function inputReveals(
  redirections: readonly Redirection[],
  state: ShellState,
  walk: ShellWalk,
): readonly string[] {
  const { source } = walk.scope;
  return redirections.flatMap((node) => {
    if (node.type === "HereString" && node.target) {
      return revealedNames(source.slice(node.target.pos, node.target.end), knownIn(state, walk));
    }
    if (node.type !== "HereDoc" || node.delimiter?.quoted) return [];
    return revealedNames(source.slice(node.body.pos, node.body.end), knownIn(state, walk), true);
  });
}

/** What a command reads from its standard input, where that is in the text: a here-document or here-string without expansion. */
export function standardInput(redirections: readonly Redirection[], scope: TextSource): string | undefined {
  const last = redirections.findLast(
    ({ descriptor, operator }) =>
      operator.startsWith("<") &&
      (descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0)),
  );
  if (last?.type === "HereString" && last.target) return staticValue(readWord(last.target, scope, noFindings()));
  if (last?.type !== "HereDoc") return undefined;
  const { body } = last;
  const text = (scope.original ?? scope.source).slice(body.pos, body.end);
  if (!last.delimiter?.quoted && /[$`\\]/.test(text)) return undefined;
  return last.operator === "<<-" ? text.replace(/^\t+/gm, "") : text;
}
