import { findProgram } from "../client/find-package.ts";
import { isClosed } from "../plan/hook-command.ts";
import { type OwnPlace, ownHooks } from "../plan/own-entries.ts";
import { isGuard } from "../plan/plan-entries.ts";
import { type Drift, drift } from "./drift-kinds.ts";

/**
 * Guards that start Node by themselves and let the action pass when Node itself crashes: entries that an older version wrote, or a person.
 * Where there is no `sh` nothing can be done about it, and it is a note.
 */
export function openOnCrash(
  entries: readonly OwnPlace[],
  again: string,
  env: Readonly<Record<string, string | undefined>>,
): { readonly drift: readonly Drift[]; readonly notes: readonly string[] } {
  const open = entries.filter((entry) => isGuard(entry.event) && ownHooks(entry).some(passesOnCrash));
  if (open.length === 0) return { drift: [], notes: [] };
  const events = [...new Set(open.map(({ event }) => event))].join(", ");
  const message = `The entries for ${events} say --on-failure block, but when Node itself crashes or cannot be started the action goes through.`;
  return findProgram("sh", env) === undefined
    ? { drift: [], notes: [`${message} An entry that refuses then needs sh, and there is none in PATH.`] }
    : { drift: [drift("open-on-crash", `${message} ${again} writes entries that refuse.`)], notes: [] };
}

function passesOnCrash(hook: ReturnType<typeof ownHooks>[number]): boolean {
  if (hook.type !== "command") return false;
  const words = [hook.command, ...(Array.isArray(hook.args) ? hook.args : []).map(String)];
  if (words.some((word) => /(?:^|[\s/'"])hookline-client\b/.test(word))) return false;
  return / --on-failure[ =]block\b/.test(words.join(" ")) && !isClosed(words);
}
