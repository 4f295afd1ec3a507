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
import { emptyWord } from "./programs/inner-command.ts";
import { walkRedirections } from "./redirection.ts";
import { noFindings, report } from "./scope.ts";
import type { ShellWord, Span } from "./shell-part.ts";
import {
  isReachable,
  mergeStates,
  placesIn,
  type ShellFlow,
  type ShellState,
  sameFlow,
  unknownPlace,
  withoutVariables,
  withUnknownFolder,
} from "./shell-state.ts";
import { verifyParse } from "./verify-parse.ts";
import { walkCommand } from "./walk-command.ts";
import type { ShellWalk } from "./walk-context.ts";
import { assignedNames, changesFolder, walkLoop } from "./walk-loop.ts";
import { readWord } from "./word.ts";

export function walkScript(script: ParsedScript, state: ShellState, walk: ShellWalk): ShellFlow {
  for (const error of script.errors ?? []) {
    walk.problems.push({ code: "syntax", at: walk.scope.span(error.pos, error.pos + 1), text: error.message });
  }
  const found = noFindings();
  verifyParse(script, walk.scope, found);
  for (const problem of found.problems) walk.problems.push(problem);
  return walkList(script.commands, state, walk);
}

function walkList(statements: readonly Statement[], state: ShellState, walk: ShellWalk): ShellFlow {
  let flow = sameFlow(state);
  for (const statement of statements) {
    const before = mergeStates(flow.ok, flow.fail);
    flow = walkNode(statement.command, before, walk);
    // What runs in the background has a shell of its own.
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
      return walkNode(node.command, state, walk);
    case "BraceGroup":
      return walkBody(node.body, state, walk);
    case "Subshell":
      // `((` is arithmetic or a subshell in a subshell, and bash decides only at the end.
      if (walk.scope.source[node.pos + 1] === "(") {
        walk.problems.push({ code: "construct", at: walk.scope.span(node.pos, node.end), text: "((" });
      }
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
      const found = noFindings();
      if (walk.dialect !== "bash") report(found, "construct", walk.scope, node, "[[ ]] is not every shell's");
      const tests = checkTest(node.expression, walk.scope, found);
      walkFindings(found, state, walk);
      const at = walk.scope.span(node.pos, node.end);
      if (tests.length > 0) addFileTests(tests, walk.scope.source.slice(node.pos, node.end), at, state, walk);
      return sameFlow(state);
    }
    default:
      return walkRefused(node, state, walk);
  }
}

/** What `[[ … ]]` asks about files is a command like `[ … ]`; whatever else it compares is nobody's concern. */
function addFileTests(tests: readonly FileTest[], raw: string, at: Span, state: ShellState, walk: ShellWalk): void {
  const sign = (text: string): ShellWord => ({ ...emptyWord, pieces: [text], raw: text, at });
  const asked = tests.flat().map((word) => (typeof word === "string" ? sign(word) : expandWord(word, state, walk)));
  const words = [sign("[["), ...asked, sign("]]")];
  const part = { kind: "command", words, raw, at, via: walk.via, places: placesIn(state), openEnded: false } as const;
  walk.parts.push(walk.within ? { ...part, within: walk.within } : part);
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
      // A folder changed only if something failed: where the list continues is not certain.
      const next = walkNode(command, flow.fail, walk);
      const moved = changesFolder(command) && isReachable(next.ok);
      const ok = mergeStates(flow.ok, next.ok);
      flow = moved ? { ok: withUnknownFolder(ok), fail: withUnknownFolder(next.fail) } : { ok, fail: next.fail };
    }
  }
  return flow;
}

function walkPipeline(node: Pipeline, state: ShellState, walk: ShellWalk): ShellFlow {
  for (const prefix of node.prefixes) {
    if (prefix.type === "Time") {
      walk.problems.push({ code: "construct", at: walk.scope.span(prefix.pos, prefix.end), text: "time" });
    }
  }
  const [only] = node.commands;
  if (node.commands.length === 1 && only) {
    const flow = walkNode(only, state, walk);
    const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
    return negated ? { ok: flow.fail, fail: flow.ok } : flow;
  }
  for (const command of node.commands) walkNode(command, state, walk);
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
  const found = noFindings();
  readWord(node.word, walk.scope, found);
  for (const item of node.items) for (const pattern of item.pattern) readWord(pattern, walk.scope, found);
  walkFindings(found, state, walk);
  const fixed: ShellState = { ...state, variables: withoutVariables(state.variables, assignedNames(node, walk.scope)) };
  let [reached, after] = [state, fixed];
  for (const item of node.items) {
    const body = walkBody(item.body, reached, walk);
    const end = { ...mergeStates(body.ok, body.fail), variables: fixed.variables };
    after = mergeStates(after, end);
    // `;&` and `;;&` continue with the next list, in the folder this one has reached.
    const continues = item.terminator === ";&" || item.terminator === ";;&";
    reached = continues ? mergeStates(fixed, end) : state;
    if (continues && changesFolder(item.body)) reached = withUnknownFolder(reached);
  }
  return sameFlow(changesFolder(node) ? withUnknownFolder(after) : after);
}

/** A construct that is unknown or not analysed: its content still counts for deny. */
function walkRefused(node: SyntaxNode, state: ShellState, walk: ShellWalk): ShellFlow {
  walk.problems.push({ code: "construct", at: walk.scope.span(node.pos, node.end), text: node.type });
  forEachChild(node, (child) => {
    if (child.type === "CompoundList") walkBody(child, unknownPlace, walk);
    else if (child.type === "Word" || child.type.startsWith("Arithmetic")) {
      const found = noFindings();
      collectScripts(child, walk.scope, found);
      walkFindings(found, state, walk);
    } else walkNode(child, unknownPlace, walk);
  });
  return sameFlow(unknownPlace);
}
