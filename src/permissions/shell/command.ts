import type { Command } from "unbash";
import { parseNested } from "./analyse-nested.ts";
import { addName, readAssignedWord, walkAssignment } from "./assignment.ts";
import { type PlainForm, readBuiltin } from "./builtins.ts";
import { walkFound } from "./found.ts";
import type { Inner } from "./inner.ts";
import { isHarmlessName, isPrivateName } from "./names.ts";
import { type CommandPart, type Places, type ShellWord, type Span, staticValue } from "./part.ts";
import { type Flow, follow, nowhere, staying, unknownPlace } from "./places.ts";
import { standardInput, walkRedirections } from "./redirection.ts";
import { nothingFound } from "./scope.ts";
import { unwrap } from "./unwrap.ts";
import type { Walk } from "./walk.ts";
import { readWord } from "./word.ts";

const mostWrappers = 5;

/** A simple command: what it sets, what it redirects, what it starts, and where the shell stands afterwards. */
export function walkCommand(node: Command, places: Places, walk: Walk): Flow {
  const found = nothingFound();
  const words: ShellWord[] = [];
  if (node.name) words.push(readWord(node.name, walk.scope, found));
  for (const item of node.suffix) {
    if (item.type === "Word") words.push(readWord(item, walk.scope, found));
    else if (item.type === "Assignment") words.push(readAssignedWord(item, walk.scope, found));
  }
  for (const item of node.prefix) {
    if (item.type === "Assignment") walkAssignment(item, words.length > 0, places, walk, found);
  }
  walkFound(found, places, walk);
  walkRedirections(node.redirects, places, walk);
  if (words.length === 0) return staying(places);
  const raw = walk.scope.source.slice(node.name?.pos ?? node.pos, node.end);
  const stdin = standardInput(node.redirects, walk.scope);
  return runCommand({ words, raw, at: walk.scope.span(node.pos, node.end), openEnded: false, stdin }, places, walk);
}

interface Started {
  readonly carried?: boolean;
  readonly words: readonly ShellWord[];
  readonly raw: string;
  readonly at: Span;
  readonly openEnded: boolean;
  /** What stands on its standard input, where that is known. */
  readonly stdin: string | undefined;
}

/** A command from its words: written in the text, or found inside a wrapper. */
function runCommand({ words, raw, at, openEnded, stdin, carried }: Started, places: Places, walk: Walk): Flow {
  const [name, ...args] = words;
  if (name === undefined) return staying(places);
  const head = staticValue(name);
  const base = { kind: "command", words, raw, at, via: walk.via, places, openEnded } as const;
  const part: CommandPart = walk.within ? { ...base, within: walk.within, ...(carried ? { carried } : {}) } : base;
  if (head === undefined) {
    walk.parts.push(part);
    return staying(places);
  }
  const builtin = readBuiltin(head, args);
  if (builtin !== undefined && builtin !== "evaluates") return runPlainForm(part, head, builtin, places, walk);
  if (builtin === "evaluates") walk.problems.push({ code: "second-evaluation", at, text: raw });
  const inners = unwrap(head.slice(head.lastIndexOf("/") + 1), args, stdin);
  const opaque = inners.find((inner) => inner.kind === "opaque");
  walk.parts.push(opaque ? { ...part, opaque: opaque.why } : part);
  for (const inner of inners) runInner(inner, head, part, stdin, walk);
  if (head === "cd" || head === "pushd" || head === "popd") {
    return follow(head, args, places, walk.home, walk.envNames.has("CDPATH"));
  }
  return inners.length > 0 && /^(command|builtin|eval|exec)$/.test(head)
    ? staying(unknownPlaceIfMoved(inners, places))
    : staying(places);
}

function runPlainForm(part: CommandPart, head: string, form: PlainForm, places: Places, walk: Walk): Flow {
  const text = part.words.map((word) => staticValue(word) ?? word.raw).join(" ");
  walk.parts.push({ kind: "state", text, head, at: part.at, via: part.via, places });
  for (const name of form.sets) addName(name, name, part.at, isPrivateName(name, walk.envNames), places, walk);
  for (const name of form.exports) addName(name, name, part.at, isHarmlessName(name), places, walk);
  // Not `return`: outside of a function it fails, and the script goes on.
  return staying(head === "exit" ? nowhere : places);
}

function runInner(inner: Inner, head: string, part: CommandPart, stdin: string | undefined, walk: Walk): void {
  if (inner.kind === "opaque") return;
  if (walk.via.length >= mostWrappers) {
    walk.problems.push({ code: "too-deep", at: part.at, text: `more than ${mostWrappers} commands inside each other` });
    return;
  }
  const below: Walk = { ...walk, via: [...walk.via, head], within: part };
  if (inner.kind === "file") {
    const { access, option, word } = inner;
    walk.parts.push({ kind: access, operator: option, target: word, at: part.at, via: below.via, places: part.places });
    return;
  }
  if (inner.kind === "script") {
    parseNested(inner, part, below);
    return;
  }
  for (const word of inner.sets) {
    const name = /^[^=]*/.exec(word.pieces[0])?.[0] ?? "";
    addName(name, word.raw, word.at, isHarmlessName(name) && staticValue(word) !== undefined, part.places, below);
  }
  const raw = inner.words.map((word) => word.raw).join(" ");
  const places = inner.elsewhere ? unknownPlace : part.places;
  const carried = inner.carried === true;
  runCommand({ words: inner.words, raw, at: part.at, openEnded: inner.openEnded, stdin, carried }, places, below);
}

function unknownPlaceIfMoved(inners: readonly Inner[], places: Places): Places {
  const moved = inners.some(
    (inner) =>
      inner.kind !== "command" || /^(cd|pushd|popd)$/.test(inner.words[0] ? (staticValue(inner.words[0]) ?? "cd") : ""),
  );
  return moved ? unknownPlace : places;
}
