import { isAbsolute } from "node:path";
import { isGuarded } from "../../settings/layer-limits.ts";
import { insidePath } from "./checkout-files.ts";
import { coverWord, type Meant, type Walk } from "./cover-word.ts";
import { leaveOut } from "./script-walk.ts";
import { unknown } from "./word-values.ts";

/** `PATH=tools:$PATH`, `PERL5OPT=-MName`: what programs load or start because of it is not followed. A file that it names is covered. */
export function nameLoadingVariables(words: readonly Meant[], walk: Walk): void {
  const { script, gathering } = walk;
  for (const word of words) {
    const { raw, values } = word;
    const [, name = ""] = /^([A-Za-z_]\w*)\+?=/.exec(raw) ?? [];
    // A shell runs this file before anything else.
    if (/^(?:BASH_)?ENV$/.test(name)) coverWord(word, "shell", walk);
    if (!/(?:PATH|LIB|OPTS?|OPTIONS|FLAGS)$/.test(name) || !isGuarded(name)) continue;
    const parts = values.flatMap((value) => value.slice(value.indexOf("=") + 1).split(":"));
    const isElsewhere = (part: string): boolean =>
      part === unknown || (isAbsolute(part) && insidePath(part, gathering.checkout) === undefined);
    if (!parts.every(isElsewhere))
      leaveOut(raw, "what programs load or start because of it, beside files that it names", script, gathering);
  }
}
