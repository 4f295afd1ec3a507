import { isAbsolute } from "node:path";
import { isGuarded } from "../../settings/guarded-names.ts";
import { insidePath } from "./checkout-files.ts";
import type { Meant, Walk } from "./cover-word.ts";
import { leaveOut } from "./script.ts";
import { unknown } from "./values.ts";

/** `PATH=tools:$PATH`, `PERL5OPT=-MName`: what programs load or start because of it is not followed. A file that it names is covered. */
export function nameLoadingVariables(words: readonly Meant[], { script, gathering }: Walk): void {
  for (const { raw, values } of words) {
    const [, name = ""] = /^([A-Za-z_]\w*)\+?=/.exec(raw) ?? [];
    if (!/(?:PATH|LIB|OPTS?|OPTIONS|FLAGS)$/.test(name) || !isGuarded(name)) continue;
    const parts = values.flatMap((value) => value.slice(value.indexOf("=") + 1).split(":"));
    const isElsewhere = (part: string): boolean =>
      part === unknown || (isAbsolute(part) && insidePath(part, gathering.checkout) === undefined);
    if (!parts.every(isElsewhere))
      leaveOut(raw, "what programs load or start because of it, beside files that it names", script, gathering);
  }
}
