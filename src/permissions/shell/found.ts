import { addName } from "./assignment.ts";
import { isPrivateName } from "./names.ts";
import type { State } from "./places.ts";
import type { Found } from "./scope.ts";
import { type Walk, walkScript } from "./walk.ts";

/** Everything that reading words brought to light: its problems, its scripts in a shell of their own, its names. */
export function walkFound(found: Found, state: State, walk: Walk): void {
  for (const problem of found.problems) walk.problems.push(problem);
  for (const { script, scope } of found.nested) walkScript(script, state, { ...walk, scope });
  for (const { name, at } of found.names) {
    walk.volatile.add(name);
    addName(name, name, at, isPrivateName(name, walk.envNames), state, walk);
  }
}
