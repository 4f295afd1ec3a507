import { parseShell } from "./parse.ts";
import { costs, oddCharacters } from "./prepare-text.ts";
import type { Inner } from "./programs/inner-command.ts";
import { fixedScope } from "./scope.ts";
import type { CommandPart } from "./shell-part.ts";
import { type Flow, startIn, staying, unknownPlace } from "./shell-state.ts";
import type { Walk } from "./walk-context.ts";

const deepestScript = 5;
/** Starting over costs something, however short the script. */
const leastCost = 64;

/** A script given to a shell as a word: the whole analysis once more, up to a depth. Gives what is known at its end. */
export function parseNested(inner: Inner & { kind: "script" }, part: CommandPart, walk: Walk): Flow {
  const at = inner.from?.at ?? part.at;
  if (walk.depth >= deepestScript) {
    walk.problems.push({ code: "too-deep", at, text: `scripts nested more than ${deepestScript} deep` });
    return staying(unknownPlace);
  }
  walk.budget.characters -= Math.max(leastCost, inner.text.length);
  if (walk.budget.characters < 0) {
    walk.problems.push({ code: "too-costly", at, text: "more scripts inside scripts than are analysed" });
    return staying(unknownPlace);
  }
  const refused = [...oddCharacters(inner.text), ...costs(inner.text)];
  walk.problems.push(...refused.map((problem) => ({ ...problem, at })));
  if (inner.dialect === "other" || inner.openEnded) {
    walk.problems.push({ code: "construct", at, text: `a script for ${walk.via.at(-1)}` });
  }
  if (/\\\n/.test(inner.text)) {
    walk.problems.push({ code: "continuation", at, text: "a backslash at the end of a line" });
  }
  if (refused.length > 0) return staying(unknownPlace);
  const parsed = parseShell(inner.text);
  if ("failed" in parsed) {
    walk.problems.push({ code: "syntax", at, text: parsed.failed });
    return staying(unknownPlace);
  }
  return walk.walkScript(parsed.script, startIn(part.places), {
    ...walk,
    scope: fixedScope(inner.text, at),
    dialect: inner.dialect,
    depth: walk.depth + 1,
  });
}
