import type { Command } from "unbash";
import { defined } from "../../protocol/internal.ts";
import { addVariablePart, expandWords, readAssignedWord, walkAssignment, walkFindings } from "./assignment.ts";
import { characterProblems, costProblems, parseShell } from "./prepare-text.ts";
import { isBuiltin, type PlainForm, readBuiltin } from "./programs/builtins.ts";
import type { Inner } from "./programs/inner-command.ts";
import { unwrap } from "./programs/unwrap.ts";
import { inputReveals, standardInput, walkRedirections, wordsAfterClosedDescriptors } from "./redirection.ts";
import { type CommandPart, headOf, type ShellProblemCode, type ShellWord, staticValue } from "./shell-part.ts";
import {
  followCd,
  mergeStates,
  noVariables,
  placesIn,
  type ShellFlow,
  type ShellState,
  sameFlow,
  startIn,
  unknownState,
  unreachable,
  withoutVariables,
  withUnknownFolder,
  withVariable,
} from "./shell-state.ts";
import { findingsIn, fixedScope, isHarmlessName, isPrivateName, type ShellWalk } from "./walk-context.ts";
import { type ReadWord, readWord } from "./word.ts";

const maxWrappers = 5;
const maxVisited = 64;

/** Walks a simple command: its assignments, its redirections and the commands inside it. Returns the state of the shell afterwards. */
export function walkCommand(node: Command, before: ShellState, walk: ShellWalk): ShellFlow {
  const findings = findingsIn(walk.scope);
  const read: ReadWord[] = [];
  if (node.name) read.push(readWord(node.name, findings));
  for (const item of node.suffix) {
    if (item.type === "Word") read.push(readWord(item, findings));
    else if (item.type === "Assignment") read.push(readAssignedWord(item, findings));
  }
  const afterClosings = wordsAfterClosedDescriptors(node.redirects, walk.scope);
  if (afterClosings.length > 0) {
    read.push(...afterClosings);
    read.sort((a, b) => a.at[0] - b.at[0]);
  }
  let state = before;
  for (const item of node.prefix) {
    if (item.type === "Assignment") state = walkAssignment(item, read.length > 0, state, walk, findings);
  }
  walkFindings(findings, before, walk);
  walkRedirections(node.redirects, state, walk);
  if (read.length === 0) return sameFlow(state);
  const words = expandWords(read, before, walk);
  const raw = walk.scope.source.slice(node.name?.pos ?? node.pos, node.end);
  const stdin = standardInput(node.redirects, walk);
  const reveals = inputReveals(node.redirects, before, walk);
  const at = walk.scope.span(node.pos, node.end);
  const run = { words, raw, at, openEnded: false };
  const revealing = reveals.length > 0 ? { ...run, inputReveals: reveals } : run;
  return walkCommandRun(revealing, state, stdin === walk.stdin ? walk : { ...walk, stdin });
}

/** A command before it is known where it runs. */
type CommandRun = Omit<CommandPart, "kind" | "via" | "places" | "within" | "opaque">;

/** Walks a command, given by its words. It is part of the text or of the arguments of a wrapper. */
export function walkCommandRun(run: CommandRun, state: ShellState, walk: ShellWalk): ShellFlow {
  const { words, raw, at, openEnded } = run;
  const [name, ...args] = words;
  if (name === undefined) return sameFlow(state);
  const head = staticValue(name);
  const { via, within } = walk;
  // Field by field: copying objects of different shapes is what takes the time of an ordinary command.
  const plain: CommandPart = { kind: "command", words, raw, at, via, places: placesIn(state), openEnded };
  const part = within || run.inputReveals ? { ...plain, ...run, ...defined({ within }) } : plain;
  if (head === undefined) {
    walk.parts.push(part);
    // It may expand to `cd`, or to nothing before a `cd`.
    return sameFlow(withUnknownFolder(state));
  }
  const builtin = readBuiltin(head, args);
  if (builtin !== undefined && builtin !== "evaluates") return walkPlainForm(part, builtin, state, walk);
  if (builtin === "evaluates") walk.problems.push({ code: "second-evaluation", at, text: raw });
  const inners = unwrap(head.slice(head.lastIndexOf("/") + 1), args, { stdin: walk.stdin, openEnded });
  const opaque = inners.find((inner) => inner.kind === "opaque");
  walk.parts.push(opaque ? { ...part, opaque: opaque.why } : part);
  const ends = inners.map((inner) => walkInner(inner, head, part, walk));
  if (head === "cd" || head === "pushd" || head === "popd") return changeFolder(head, args, state, walk);
  return inners.length > 0 && /^(command|builtin|eval|exec)$/.test(head)
    ? sameFlow(afterInners(inners, ends, state))
    : sameFlow(state);
}

function changeFolder(head: string, args: readonly ShellWord[], state: ShellState, walk: ShellWalk): ShellFlow {
  const { home, visited, visitedBefore } = walk;
  const earlier = [...visited, ...visitedBefore];
  const flow = followCd(head, args, state, { home, earlier, hasCdPath: walk.envNames.has("CDPATH") });
  for (const { folders, followed = [] } of [state, flow.ok])
    for (const folder of [...folders, ...followed.filter((path) => !path.startsWith("/"))])
      if (visited.size < maxVisited) visited.add(folder);
  return flow;
}

function walkPlainForm(part: CommandPart, form: PlainForm, state: ShellState, walk: ShellWalk): ShellFlow {
  const head = headOf(part) ?? "";
  const text = part.words.map((word) => staticValue(word) ?? word.raw).join(" ");
  walk.parts.push({ kind: "state", text, head, at: part.at, via: part.via, places: part.places });
  for (const name of form.sets) addVariablePart(name, name, part.at, isPrivateName(name, walk.envNames), state, walk);
  for (const name of form.exports) addVariablePart(name, name, part.at, isHarmlessName(name), state, walk);
  let variables = withoutVariables(state.variables, form.sets);
  for (const [name, text] of form.values) variables = withVariable(variables, name, [{ text, isPattern: false }]);
  // Not `return`: outside a function it fails, and the script continues.
  return sameFlow(head === "exit" ? unreachable : { ...state, variables });
}

/** Walks one command, script or file inside a command. Returns the state at its end. */
function walkInner(inner: Inner, head: string, part: CommandPart, walk: ShellWalk): ShellState {
  if (inner.kind === "opaque") return unreachable;
  if (walk.via.length >= maxWrappers) {
    walk.problems.push({ code: "too-deep", at: part.at, text: `more than ${maxWrappers} commands inside each other` });
    return unknownState;
  }
  const innerWalk: ShellWalk = { ...walk, via: [...walk.via, head], within: part };
  if (inner.kind === "file") {
    const { access, option, word } = inner;
    const { at, places } = part;
    walk.parts.push({ kind: access, operator: option, target: word, at, via: innerWalk.via, places });
    return unreachable;
  }
  if (inner.kind === "script") return mergedEnd(parseNested(inner, part, innerWalk));
  walk.budget.words -= inner.words.length;
  if (walk.budget.words < 0) {
    walk.problems.push({ code: "too-costly", at: part.at, text: "more commands inside commands than are analyzed" });
    return unknownState;
  }
  for (const word of inner.sets ?? []) {
    const name = /^[^=]*/.exec(word.pieces[0])?.[0] ?? "";
    const isSafe = isHarmlessName(name) && staticValue(word) !== undefined;
    addVariablePart(name, word.raw, word.at, isSafe, startIn(part.places), innerWalk);
  }
  const { words } = inner;
  const raw = words.map((word) => word.raw).join(" ");
  const state = inner.elsewhere ? unknownState : startIn(part.places);
  // Words added to the wrapper at run time are added to the inner command too. With find, `;` ends the inner command.
  const ends = /(^|\/)find$/.test(head);
  const openEnded = inner.openEnded === true || (part.openEnded && !ends);
  const fed = inner.fed === true || (part.fed === true && !ends);
  const { at, inputReveals: reveals } = part;
  const further = defined({ inputReveals: reveals, carried: inner.carried || undefined, fed: fed || undefined });
  return mergedEnd(walkCommandRun({ words, raw, at, openEnded, ...further }, state, innerWalk));
}

function mergedEnd({ ok, fail }: ShellFlow): ShellState {
  return mergeStates(ok, fail);
}

/** The state after `command x`, `builtin x` or `eval x`, where `x` may be `cd` or set a variable. */
function afterInners(inners: readonly Inner[], ends: readonly ShellState[], state: ShellState): ShellState {
  const heads = inners.map((inner) =>
    inner.kind === "command" && inner.words[0] ? staticValue(inner.words[0]) : undefined,
  );
  if (heads.some((head) => head === undefined || /^(cd|pushd|popd|command|builtin)$/.test(head)))
    return { ...withUnknownFolder(ends.reduce(mergeStates, state)), variables: noVariables };
  return heads.some((head) => isBuiltin(head ?? "")) ? { ...state, variables: noVariables } : state;
}

const maxScriptDepth = 5;
/** The cost of a new analysis, even for a short script. */
const minScriptCost = 64;

/** Analyzes a script that a shell gets as an argument, up to a maximum depth. Returns the states at its end. */
function parseNested(inner: Inner & { kind: "script" }, part: CommandPart, walk: ShellWalk): ShellFlow {
  const at = inner.from?.at ?? part.at;
  const add = (code: ShellProblemCode, text: string): ShellFlow => {
    walk.problems.push({ code, at, text });
    return sameFlow(unknownState);
  };
  if (walk.depth >= maxScriptDepth) return add("too-deep", `scripts nested more than ${maxScriptDepth} deep`);
  walk.budget.characters -= Math.max(minScriptCost, inner.text.length);
  if (walk.budget.characters < 0) return add("too-costly", "more scripts inside scripts than are analyzed");
  const textProblems = [...characterProblems(inner.text), ...costProblems(inner.text)];
  walk.problems.push(...textProblems.map((problem) => ({ ...problem, at })));
  if (inner.dialect === "other" || inner.openEnded) add("construct", `a script for ${walk.via.at(-1)}`);
  if (/\\\n/.test(inner.text)) add("continuation", "a backslash at the end of a line");
  if (textProblems.length > 0) return sameFlow(unknownState);
  const parsed = parseShell(inner.text);
  if ("failed" in parsed) return add("syntax", parsed.failed);
  return walk.walkScript(parsed.script, startIn(part.places), {
    ...walk,
    scope: fixedScope(inner.text, at),
    dialect: inner.dialect,
    depth: walk.depth + 1,
  });
}
