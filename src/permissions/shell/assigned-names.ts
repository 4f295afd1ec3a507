import { forEachChild, type SyntaxNode } from "unbash";
import type { Scope } from "./scope.ts";

const settingBuiltin = /^(read|export|declare|typeset|local|readonly|mapfile|readarray|getopts|printf|unset|let)$/;

/** Every name that something in a node may set, in whatever shell. */
export function assignedNames(node: SyntaxNode, scope: Scope): ReadonlySet<string> {
  const known = answers.get(node);
  if (known) return known;
  const names = new Set<string>();
  collect(node, scope, names);
  answers.set(node, names);
  return names;
}

/** What is asked about at every level of nesting, and searched once. */
const repeating = new Set(["While", "For", "Case"]);
const answers = new WeakMap<SyntaxNode, ReadonlySet<string>>();

function collect(node: SyntaxNode, scope: Scope, names: Set<string>): void {
  const { source } = scope;
  const text = () => source.slice(node.pos, node.end);
  if (node.type === "Assignment") addNames(text(), names);
  if (node.type === "For") addNames(source.slice(node.name.pos, node.name.end), names);
  if (node.type === "Command" && settingBuiltin.test(node.name ? source.slice(node.name.pos, node.name.end) : "")) {
    for (const item of node.suffix) addNames(source.slice(item.pos, item.end), names);
  }
  if (node.type === "Word") {
    for (const [, name = ""] of text().matchAll(/\{([A-Za-z_][A-Za-z0-9_]*):?=/g)) names.add(name);
  }
  if (node.type === "Redirect") addNames(text().replace(/^\{/, ""), names);
  forEachChild(node, (child) => {
    if (!repeating.has(child.type)) return collect(child, scope, names);
    for (const name of assignedNames(child, scope)) names.add(name);
  });
}

function addNames(text: string, names: Set<string>): void {
  const name = /^["']?([A-Za-z_][A-Za-z0-9_]*)/.exec(text)?.[1];
  if (name !== undefined) names.add(name);
}
