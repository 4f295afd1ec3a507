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
import { walkCommand } from "./command.ts";
import { collectScripts } from "./expansion.ts";
import { walkFound } from "./found.ts";
import { checkGaps } from "./gaps.ts";
import type { Dialect } from "./inner.ts";
import type { CommandPart, Places, ShellPart, ShellProblem } from "./part.ts";
import { either, type Flow, isReachable, staying, unknownPlace } from "./places.ts";
import { walkRedirections } from "./redirection.ts";
import { nothingFound, report, type Scope } from "./scope.ts";
import { checkTest } from "./test-command.ts";
import { readWord } from "./word.ts";

/** What a walk through a text gathers, and what it needs to know. */
export interface Walk {
  readonly scope: Scope;
  readonly parts: ShellPart[];
  readonly problems: ShellProblem[];
  readonly via: readonly string[];
  readonly within?: CommandPart;
  readonly dialect: Dialect;
  /** Scripts inside scripts (`bash -c`), counted. */
  readonly depth: number;
  /** How many characters of such scripts may still be analysed, shared by the whole walk. */
  readonly budget: { characters: number };
  readonly home: string;
  readonly envNames: ReadonlySet<string>;
}

export function walkScript(script: ParsedScript, places: Places, walk: Walk): Flow {
  for (const error of script.errors ?? []) {
    walk.problems.push({ code: "syntax", at: walk.scope.span(error.pos, error.pos + 1), text: error.message });
  }
  const found = nothingFound();
  checkGaps(script, walk.scope, found);
  for (const problem of found.problems) walk.problems.push(problem);
  return walkList(script.commands, places, walk);
}

function walkList(statements: readonly Statement[], places: Places, walk: Walk): Flow {
  let flow = staying(places);
  for (const statement of statements) {
    const before = either(flow.ok, flow.fail);
    flow = walkNode(statement.command, before, walk);
    // What runs in the background has a shell of its own.
    if (statement.background) flow = staying(before);
  }
  return flow;
}

function walkBody(list: CompoundList, places: Places, walk: Walk): Flow {
  return walkList(list.commands, places, walk);
}

function walkNode(node: SyntaxNode, places: Places, walk: Walk): Flow {
  switch (node.type) {
    case "Command":
      return walkCommand(node, places, walk);
    case "AndOr":
      return walkAndOr(node, places, walk);
    case "Pipeline":
      return walkPipeline(node, places, walk);
    case "Redirected":
      walkRedirections(node.redirects, places, walk);
      return walkNode(node.command, places, walk);
    case "BraceGroup":
      return walkBody(node.body, places, walk);
    case "Subshell":
      // `((` is arithmetic or a subshell in a subshell, and bash decides only at the end.
      if (walk.scope.source[node.pos + 1] === "(") {
        walk.problems.push({ code: "construct", at: walk.scope.span(node.pos, node.end), text: "((" });
      }
      walkBody(node.body, places, walk);
      return staying(places);
    case "If":
      return walkIf(node, places, walk);
    case "While":
    case "For":
      return walkLoop(node, places, walk);
    case "Case":
      return walkCase(node, places, walk);
    case "TestCommand": {
      const found = nothingFound();
      if (walk.dialect !== "bash") report(found, "construct", walk.scope, node, "[[ ]] is not every shell's");
      checkTest(node.expression, walk.scope, found);
      walkFound(found, places, walk);
      return staying(places);
    }
    default:
      return walkRefused(node, places, walk);
  }
}

function walkAndOr(node: AndOr, places: Places, walk: Walk): Flow {
  const [first, ...rest] = node.commands;
  if (first === undefined) return staying(places);
  let flow = walkNode(first, places, walk);
  for (const [index, command] of rest.entries()) {
    if (node.operators[index] === "&&") {
      const next = walkNode(command, flow.ok, walk);
      flow = { ok: next.ok, fail: either(flow.fail, next.fail) };
    } else {
      // A folder changed only if something failed: nobody can say where the list goes on.
      const next = walkNode(command, flow.fail, walk);
      const moved = changesFolder(command) && isReachable(next.ok);
      flow = { ok: moved ? unknownPlace : either(flow.ok, next.ok), fail: moved ? unknownPlace : next.fail };
    }
  }
  return flow;
}

function walkPipeline(node: Pipeline, places: Places, walk: Walk): Flow {
  for (const prefix of node.prefixes) {
    if (prefix.type === "Time") {
      walk.problems.push({ code: "construct", at: walk.scope.span(prefix.pos, prefix.end), text: "time" });
    }
  }
  const [only] = node.commands;
  if (node.commands.length === 1 && only) {
    const flow = walkNode(only, places, walk);
    const negated = node.prefixes.filter((prefix) => prefix.type === "Negation").length % 2 === 1;
    return negated ? { ok: flow.fail, fail: flow.ok } : flow;
  }
  for (const command of node.commands) walkNode(command, places, walk);
  return staying(places);
}

function walkIf(node: If, places: Places, walk: Walk): Flow {
  let otherwise = places;
  let after: Places | undefined;
  for (const branch of [node, ...node.elif]) {
    const test = walkBody(branch.clause, otherwise, walk);
    const taken = walkBody(branch.then, changesFolder(branch.clause) ? unknownPlace : test.ok, walk);
    const end = either(taken.ok, taken.fail);
    after = after ? either(after, end) : end;
    otherwise = test.fail;
  }
  const last = node.else ? walkBody(node.else, otherwise, walk) : staying(otherwise);
  const end = either(either(last.ok, last.fail), after ?? places);
  return staying(changesFolder(node) ? unknownPlace : end);
}

function walkLoop(node: SyntaxNode & { type: "While" | "For" }, places: Places, walk: Walk): Flow {
  const inside = changesFolder(node) ? unknownPlace : places;
  if (node.type === "While") {
    walkBody(node.clause, inside, walk);
  } else {
    const found = nothingFound();
    const name = readWord(node.name, walk.scope, found);
    for (const word of node.wordlist ?? []) readWord(word, walk.scope, found);
    found.names.push({ name: name.raw, at: name.at });
    walkFound(found, places, walk);
  }
  walkBody(node.body, inside, walk);
  return staying(inside);
}

function walkCase(node: Case, places: Places, walk: Walk): Flow {
  const found = nothingFound();
  readWord(node.word, walk.scope, found);
  for (const item of node.items) for (const pattern of item.pattern) readWord(pattern, walk.scope, found);
  walkFound(found, places, walk);
  let reached = places;
  for (const item of node.items) {
    walkBody(item.body, reached, walk);
    // `;&` and `;;&` go on with the next list, in whatever folder this one has reached.
    const goesOn = item.terminator === ";&" || item.terminator === ";;&";
    reached = goesOn && (reached.unknown || changesFolder(item.body)) ? unknownPlace : places;
  }
  return staying(changesFolder(node) ? unknownPlace : places);
}

/** A construct that is not analysed, or that nobody knows: what it holds still counts for deny. */
function walkRefused(node: SyntaxNode, places: Places, walk: Walk): Flow {
  walk.problems.push({ code: "construct", at: walk.scope.span(node.pos, node.end), text: node.type });
  forEachChild(node, (child) => {
    if (child.type === "CompoundList") walkBody(child, unknownPlace, walk);
    else if (child.type === "Word" || child.type.startsWith("Arithmetic")) {
      const found = nothingFound();
      collectScripts(child, walk.scope, found);
      walkFound(found, places, walk);
    } else walkNode(child, unknownPlace, walk);
  });
  return staying(unknownPlace);
}

/** Whether a `cd`, `pushd` or `popd` stands anywhere in a node that the same shell runs. */
function changesFolder(node: SyntaxNode): boolean {
  if (node.type === "Subshell" || node.type === "Word") return false;
  if (node.type === "Pipeline" && node.commands.length > 1) return false;
  if (node.type === "Command") {
    const words = [node.name, ...node.suffix].map((word) => word?.type === "Word" && word.value);
    return words.some((value) => value === "cd" || value === "pushd" || value === "popd");
  }
  let found = false;
  forEachChild(node, (child) => {
    found ||= changesFolder(child);
  });
  return found;
}
