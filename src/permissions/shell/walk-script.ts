import {
  type AndOr,
  type Case,
  type CompoundList,
  forEachChild,
  type If,
  type ParsedScript,
  type Pipeline,
  type Statement,
  type SyntaxNode,
} from "unbash";
import { expandWord, walkFindings } from "./assignment.ts";
import { collectScripts } from "./expansion.ts";
import { checkTest, type FileTest } from "./programs/builtins.ts";
import { pipedText, standardInput, walkRedirections } from "./redirection.ts";
import { emptyWord, type ShellWord, type TextRange } from "./shell-part.ts";
import {
  isReachable,
  mergeStates,
  type ShellFlow,
  type ShellState,
  sameFlow,
  unknownState,
  withUnknownFolder,
} from "./shell-state.ts";
import { verifyParse } from "./verify-parse.ts";
import { walkCommand, walkCommandRun } from "./walk-command.ts";
import { findingsIn, report, type ShellWalk, sourceOf } from "./walk-context.ts";
import { changesFolder, walkLoop, withoutAssigned } from "./walk-loop.ts";
import { readWord } from "./word.ts";

export function walkScript(script: ParsedScript, state: ShellState, walk: ShellWalk): ShellFlow {
  for (const error of script.errors ?? []) {
    report(walk, "syntax", { pos: error.pos, end: error.pos + 1 }, error.message);
  }
  verifyParse(script, walk);
  return walkList(script.commands, state, walk);
}

function walkList(statements: readonly Statement[], state: ShellState, walk: ShellWalk): ShellFlow {
  let flow = sameFlow(state);
  for (const statement of statements) {
    const before = mergeStates(flow.ok, flow.fail);
    flow = walkNode(statement.command, before, walk);
    // A background command runs in a subshell.
    if (statement.background) flow = sameFlow(before);
  }
  return flow;
}

export function walkBody(list: CompoundList, state: ShellState, walk: ShellWalk): ShellFlow {
  return walkList(list.commands, state, walk);
}

function walkNode(node: SyntaxNode, state: ShellState, walk: ShellWalk): ShellFlow {
  switch (node.type) {
    case "Command":
      return walkCommand(node, state, walk);
    case "AndOr":
      return walkAndOr(node, state, walk);
    case "Pipeline":
      return walkPipeline(node, state, walk);
    case "Redirected":
      walkRedirections(node.redirects, state, walk);
      return walkNode(node.command, state, { ...walk, stdin: standardInput(node.redirects, walk) });
    case "BraceGroup":
      return walkBody(node.body, state, walk);
    case "Subshell":
      // `((` is arithmetic or two nested subshells. Bash decides this at its end.
      if (walk.scope.source[node.pos + 1] === "(") report(walk, "construct", node, "((");
      walkBody(node.body, state, walk);
      return sameFlow(state);
    case "If":
      return walkIf(node, state, walk);
    case "While":
    case "For":
      return walkLoop(node, state, walk);
    case "Case":
      return walkCase(node, state, walk);
    case "TestCommand": {
      const findings = findingsIn(walk.scope);
      if (walk.dialect !== "bash") report(findings, "construct", node, "[[ ]] is not supported by every shell");
      const tests = checkTest(node.expression, findings);
      walkFindings(findings, state, walk);
      const at = walk.scope.span(node.pos, node.end);
      if (tests.length > 0) addFileTests(tests, sourceOf(walk.scope, node), at, state, walk);
      return sameFlow(state);
    }
    default:
      return walkUnsupported(node, state, walk);
  }
}

/** Adds the file tests of `[[ … ]]` as a command like `[ … ]`. Other comparisons are harmless. */
function addFileTests(
  tests: readonly FileTest[],
  raw: string,
  at: TextRange,
  state: ShellState,
  walk: ShellWalk,
): void {
  const literalWord = (text: string): ShellWord => ({ ...emptyWord, pieces: [text], raw: text, at });
  const testWords = tests
    .flat()
    .map((word) => (typeof word === "string" ? literalWord(word) : expandWord(word, state, walk)));
  const words = [literalWord("[["), ...testWords, literalWord("]]")];
  walkCommandRun({ words, raw, at, openEnded: false }, state, walk);
}

function walkAndOr(node: AndOr, state: ShellState, walk: ShellWalk): ShellFlow {
  const [first, ...rest] = node.commands;
  if (first === undefined) return sameFlow(state);
  let flow = walkNode(first, state, walk);
  for (const [index, command] of rest.entries()) {
    if (node.operators[index] === "&&") {
      const next = walkNode(command, flow.ok, walk);
      flow = { ok: next.ok, fail: mergeStates(flow.fail, next.fail) };
    } else {
      // `cd` after `||` runs only if the command before failed, so the folder afterwards is uncertain.
      const next = walkNode(command, flow.fail, walk);
      const changesFolderOnFailure = changesFolder(command) && isReachable(next.ok);
      const ok = mergeStates(flow.ok, next.ok);
      flow = changesFolderOnFailure
        ? { ok: withUnknownFolder(ok), fail: withUnknownFolder(next.fail) }
        : { ok, fail: next.fail };
    }
  }
  return flow;
}

function walkPipeline(node: Pipeline, state: ShellState, walk: ShellWalk): ShellFlow {
  for (const prefix of node.prefixes) {
    if (prefix.type === "Time") report(walk, "construct", prefix, "time");
  }
  const [only] = node.commands;
  if (node.commands.length === 1 && only) {
    const flow = walkNode(only, state, walk);
    const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
    return negated ? { ok: flow.fail, fail: flow.ok } : flow;
  }
  let reader = walk;
  for (const command of node.commands) {
    walkNode(command, state, reader);
    reader = { ...walk, stdin: pipedText(command, reader) };
  }
  return sameFlow(state);
}

function walkIf(node: If, state: ShellState, walk: ShellWalk): ShellFlow {
  let otherwise = state;
  let after: ShellState | undefined;
  for (const branch of [node, ...node.elif]) {
    const test = walkBody(branch.clause, otherwise, walk);
    const taken = walkBody(branch.then, changesFolder(branch.clause) ? withUnknownFolder(test.ok) : test.ok, walk);
    const end = mergeStates(taken.ok, taken.fail);
    after = after ? mergeStates(after, end) : end;
    otherwise = test.fail;
  }
  const last = node.else ? walkBody(node.else, otherwise, walk) : sameFlow(otherwise);
  const end = mergeStates(mergeStates(last.ok, last.fail), after ?? state);
  return sameFlow(changesFolder(node) ? withUnknownFolder(end) : end);
}

function walkCase(node: Case, state: ShellState, walk: ShellWalk): ShellFlow {
  const findings = findingsIn(walk.scope);
  readWord(node.word, findings);
  for (const item of node.items) for (const pattern of item.pattern) readWord(pattern, findings);
  walkFindings(findings, state, walk);
  const beforeItems = withoutAssigned(node, state, walk);
  let [reached, after] = [state, beforeItems];
  for (const item of node.items) {
    const body = walkBody(item.body, reached, walk);
    const end = { ...mergeStates(body.ok, body.fail), variables: beforeItems.variables };
    after = mergeStates(after, end);
    // `;&` and `;;&` continue with the next list, in the folder that this one has reached.
    const continues = item.terminator === ";&" || item.terminator === ";;&";
    reached = continues ? mergeStates(beforeItems, end) : state;
    if (continues && changesFolder(item.body)) reached = withUnknownFolder(reached);
  }
  return sameFlow(changesFolder(node) ? withUnknownFolder(after) : after);
}

/** Walks a construct that is not analyzed. Its content may still be denied. */
function walkUnsupported(node: SyntaxNode, state: ShellState, walk: ShellWalk): ShellFlow {
  report(walk, "construct", node, node.type);
  forEachChild(node, (child) => {
    if (child.type === "CompoundList") walkBody(child, unknownState, walk);
    else if (child.type === "Word" || child.type.startsWith("Arithmetic")) {
      const findings = findingsIn(walk.scope);
      collectScripts(child, findings);
      walkFindings(findings, state, walk);
    } else walkNode(child, unknownState, walk);
  });
  return sameFlow(unknownState);
}
