import { forEachChild, type SyntaxNode } from "unbash";

/** Compound commands ask about what they hold at every level; each node is searched once. */
const answers = new WeakMap<SyntaxNode, boolean>();

/** Whether a `cd`, `pushd` or `popd` stands anywhere in a node that the same shell runs. */
export function changesFolder(node: SyntaxNode): boolean {
  const known = answers.get(node);
  if (known !== undefined) return known;
  const found = search(node);
  answers.set(node, found);
  return found;
}

function search(node: SyntaxNode): boolean {
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
