import type { Assignment } from "unbash";
import { collectScripts } from "./expansion.ts";
import { isHarmlessName, isPrivateName } from "./names.ts";
import { type Places, type ShellWord, type Span, staticValue } from "./part.ts";
import { type Found, report, type Scope } from "./scope.ts";
import type { Walk } from "./walk.ts";
import { readWord } from "./word.ts";

/** `name=value` before a command goes into its environment; alone it stays in the shell. */
export function walkAssignment(node: Assignment, exported: boolean, places: Places, walk: Walk, found: Found): void {
  const { scope } = walk;
  const raw = scope.source.slice(node.pos, node.end);
  const shape = /^([A-Za-z_][A-Za-z0-9_]*)(\+?)=/.exec(raw);
  if (
    shape === null ||
    node.index !== undefined ||
    node.value.type !== "Word" ||
    shape[0].length + node.value.text.length !== raw.length
  ) {
    report(found, "construct", scope, node, raw);
    collectScripts(node, scope, found);
    return;
  }
  if (shape[2] === "+" && walk.dialect !== "bash") report(found, "construct", scope, node, "+= is not every shell's");
  const value = readWord(node.value, scope, found);
  const name = shape[1] ?? "";
  const known = staticValue(value) !== undefined && isHarmlessName(name);
  addName(
    name,
    raw,
    scope.span(node.pos, node.end),
    known || (!exported && isPrivateName(name, walk.envNames)),
    places,
    walk,
  );
}

export function addName(name: string, text: string, at: Span, safe: boolean, places: Places, walk: Walk): void {
  const part = { kind: "state", text, head: name, at, via: walk.via, places } as const;
  walk.parts.push(safe ? part : { ...part, unsafe: name });
}

/** `export A=1`: the parser gives the assignment apart; as an argument it is one word. */
export function readAssignedWord(node: Assignment, scope: Scope, found: Found): ShellWord {
  const raw = scope.source.slice(node.pos, node.end);
  if (node.value.type !== "Word" || node.index !== undefined || !raw.endsWith(node.value.text)) {
    report(found, "construct", scope, node, raw);
    collectScripts(node, scope, found);
    return {
      pieces: ["", ""],
      raw,
      at: scope.span(node.pos, node.end),
      splits: true,
      behindVariable: false,
      readings: [],
    };
  }
  const value = readWord(node.value, scope, found);
  const [first, ...rest] = value.pieces;
  return {
    ...value,
    raw,
    at: scope.span(node.pos, node.end),
    pieces: [raw.slice(0, -node.value.text.length) + first, ...rest],
  };
}
