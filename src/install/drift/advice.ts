import { basename, dirname } from "node:path";
import type { InstallRecord } from "../edit/install-record.ts";
import type { LockFile } from "../edit/lock-file.ts";
import { shellWord } from "../plan/hook-command.ts";
import type { ScopePlaces } from "../plan/install-places.ts";

/** What advice about one scope's install has to know. */
export interface Advised {
  readonly places: ScopePlaces;
  readonly hooksFile?: string | undefined;
  readonly lock?: LockFile | undefined;
  readonly record?: InstallRecord | undefined;
}

/** The command that installs the same app in the same scope again, as a person can paste it. */
export function installAgain(
  { places, hooksFile, lock }: Advised,
  transport: string | undefined = lock?.transport,
): string {
  const isUsual =
    hooksFile === undefined ||
    (/^hooks\.m?[tj]s$/.test(basename(hooksFile)) && dirname(hooksFile) === dirname(places.settingsFile));
  return [
    "hookline install",
    ...(isUsual ? [] : [shellWord(hooksFile)]),
    ...(places.scope === "project" ? [] : [`--scope ${places.scope}`]),
    // http is not repeated: it has to be asked for each time.
    ...(transport === "run" || transport === "client" ? [`--transport ${transport}`] : []),
  ].join(" ");
}

/** The command that brings entries back: without this user's notes, as after a move of the project, it is an install. */
export function repairCommand(advised: Advised): string {
  return advised.record === undefined ? installAgain(advised) : "hookline doctor --fix";
}
