import { forEachChild, type HereDoc, type Redirection, type SyntaxNode } from "unbash";
import { expandWord, knownIn, revealedNames, walkFindings } from "./assignment.ts";
import { collectScripts, readArithmetic, readParameter, readSimple, readSubstitution } from "./expansion.ts";
import type { InputText } from "./programs/inner-command.ts";
import { emptyWord, staticValue } from "./shell-part.ts";
import { placesIn, type ShellState } from "./shell-state.ts";
import { findingsIn, report, type ShellWalk, sourceOf, type TextSource, type WordFindings } from "./walk-context.ts";
import { type ReadWord, readWord } from "./word.ts";
import { readQuoted } from "./word-pieces.ts";

/** Adds redirections as parts: each is a write or a read. Copied and closed descriptors are skipped. */
export function walkRedirections(redirections: readonly Redirection[], state: ShellState, walk: ShellWalk): void {
  for (const redirection of redirections) {
    const findings = findingsIn(walk.scope);
    readRedirection(redirection, state, walk, findings);
    walkFindings(findings, state, walk);
  }
}

function readRedirection(node: Redirection, state: ShellState, walk: ShellWalk, findings: WordFindings): void {
  const { scope } = walk;
  const descriptor = node.descriptor;
  if (descriptor?.type === "FileDescriptorVariable") {
    if (walk.dialect !== "bash") report(findings, "construct", node, "{name}> is not supported by every shell");
    findings.names.push({ name: descriptor.name, at: scope.span(descriptor.pos, descriptor.end) });
  }
  if (node.type === "HereDoc") {
    readHeredoc(node, findings);
    return;
  }
  if (node.target === undefined) {
    report(findings, "syntax", node, "a redirection without a target");
    return;
  }
  const target = expandWord(readWord(node.target, findings), state, walk);
  if (node.type === "HereString") return;
  if (node.operator === ">&" || node.operator === "<&") {
    if (/^([0-9]+|-)$/.test(target.raw)) return;
    if (target.raw.startsWith("-")) {
      report(findings, "syntax", node, `a word right after ${node.operator}-`);
      return;
    }
    report(findings, "second-evaluation", node);
  }
  const at = scope.span(node.pos, node.end);
  const { via } = walk;
  const places = placesIn(state);
  const writes = node.operator !== "<" && node.operator !== "<&";
  walk.parts.push({ kind: writes ? "write" : "read", operator: node.operator, target, at, via, places });
  if (node.operator === "<>") walk.parts.push({ kind: "read", operator: "<>", target, at, via, places });
}

/** In `>&-rm x` bash closes a descriptor and runs `rm x`: the text after `-` is a word of the command. */
export function wordsAfterClosedDescriptors(redirections: readonly Redirection[], scope: TextSource): ReadWord[] {
  return redirections.flatMap((node) => {
    const closes = node.type === "Redirect" && (node.operator === ">&" || node.operator === "<&");
    const target = (closes && node.target) || { pos: 0, end: 0 };
    const raw = sourceOf(scope, target);
    if (!raw.startsWith("-") || raw === "-") return [];
    const text = raw.slice(1);
    // Removing quotes roughly is enough: a problem is reported for the text anyway.
    const pieces: ReadWord["pieces"] = /[$`]/.test(text) ? ["", ""] : [text.replace(/['"\\]/g, "")];
    const at = scope.span(target.pos + 1, target.end);
    return [{ ...emptyWord, pieces, raw: text, at, splits: pieces.length > 1 }];
  });
}

function readHeredoc(node: HereDoc, findings: WordFindings): void {
  const { scope } = findings;
  const { body, delimiter } = node;
  const isPlainDelimiter =
    delimiter && /^(?:([\w.+-]+)|'[\w.+-]+'|"[\w.+-]+"|\\[\w.+-]+)$/.test(sourceOf(scope, delimiter));
  if (!isPlainDelimiter || node.closing === undefined) {
    report(findings, "syntax", node, "a here-document without a plain delimiter or an end");
  }
  if (delimiter?.quoted) {
    if (isPlainDelimiter && node.closing) scope.heredocs?.add(body.pos);
    return;
  }
  const parts = body.parts;
  if (parts === undefined) {
    if (!readQuoted(sourceOf(scope, body), true).clean) report(findings, "lexical", body, "here-document");
    return;
  }
  for (const part of parts) {
    if (part.type === "Literal") {
      if (!readQuoted(sourceOf(scope, part), true).clean) report(findings, "lexical", part);
    } else if (part.type === "SimpleExpansion") readSimple(part, findings);
    else if (part.type === "ParameterExpansion") readParameter(part, findings, readWord);
    else if (part.type === "CommandExpansion") readSubstitution(part, findings);
    else if (part.type === "ArithmeticExpansion") readArithmetic(part, findings);
    else {
      report(findings, "construct", part);
      collectScripts(part, findings);
    }
  }
  if (parts.some((part, index) => part.pos !== (index === 0 ? body.pos : parts[index - 1]?.end))) {
    report(findings, "lexical", body, "here-document");
  }
}

/** Variables in a here-document or here-string that may hold a secret. */
export function inputReveals(
  redirections: readonly Redirection[],
  state: ShellState,
  walk: ShellWalk,
): readonly string[] {
  return redirections.flatMap((node) => {
    if (node.type === "HereString" && node.target) {
      return revealedNames(sourceOf(walk.scope, node.target), knownIn(state, walk));
    }
    if (node.type !== "HereDoc" || node.delimiter?.quoted) return [];
    return revealedNames(sourceOf(walk.scope, node.body), knownIn(state, walk), true);
  });
}

/**
 * The here-documents and here-strings that a command may read: its own, or those of what is around it. The text is known if there is one,
 * on its own standard input. Expansions in it are not replaced.
 */
export function standardInput(redirections: readonly Redirection[], walk: ShellWalk): InputText | undefined {
  const texts = redirections.flatMap((node) => hereText(node, walk.scope) ?? []);
  const [only] = texts;
  if (only === undefined) return walk.stdin && { ...walk.stdin, isKnown: false };
  const last = redirections.findLast(({ descriptor, operator }) =>
    descriptor?.type === "FileDescriptor" ? descriptor.value === 0 : !descriptor && operator.startsWith("<"),
  );
  if (texts.length === 1 && last && last.type !== "Redirect") return only;
  return { text: texts.map(({ text }) => text).join("\n"), isKnown: false };
}

/** The text that a command may pass to the next one of a pipe: what it reads itself, and the arguments of `echo` and `printf` in it. */
export function pipedText(node: SyntaxNode, walk: ShellWalk): InputText | undefined {
  const texts: string[] = [];
  if (node.type === "Command") {
    const program = node.name?.value;
    const words = program === "echo" || program === "printf" ? node.suffix : [];
    const args = words.flatMap((item) => (item.type === "Word" ? readWord(item, findingsIn(walk.scope)) : []));
    const text = args.map(({ pieces }) => pieces.join("$")).join(program === "echo" ? " " : "\n");
    texts.push(text.replaceAll("\\n", "\n"), standardInput(node.redirects, walk)?.text ?? "");
  } else {
    const inside = { ...walk, stdin: undefined };
    const redirects = node.type === "Redirected" ? node.redirects : [];
    texts.push(standardInput(redirects, walk)?.text ?? "");
    forEachChild(node, (child) => {
      if (child.type !== "Word") texts.push(pipedText(child, inside)?.text ?? "");
    });
  }
  const text = texts.filter((each) => each !== "").join("\n");
  return text === "" ? undefined : { text, isKnown: false };
}

function hereText(node: Redirection, scope: TextSource): InputText | undefined {
  if (node.type === "HereString" && node.target) {
    const word = readWord(node.target, findingsIn(scope));
    return { text: word.pieces.join("$"), isKnown: staticValue(word) !== undefined };
  }
  if (node.type !== "HereDoc") return undefined;
  const { body, delimiter, operator } = node;
  const text = (scope.original ?? scope.source).slice(body.pos, body.end);
  const quoted = delimiter?.quoted === true;
  const isKnown = quoted || !/[$`]/.test(text.replace(/\\[\s\S]/g, ""));
  const plain = quoted ? text : text.replace(/\\(?:([\\$`])|\n)/g, "$1");
  return { text: operator === "<<-" ? plain.replace(/^\t+/gm, "") : plain, isKnown };
}
