import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type HomeSource, statePath } from "../../files/internal.ts";
import type { ScopePlaces } from "../plan/install-places.ts";
import { settingsKey } from "./settings-backup.ts";
import { realFile } from "./settings-file.ts";

/**
 * Removes what outlives an uninstall: the project's state, the hook log, the backups of the settings file. Gives what was there; a dry
 * run removes nothing of it.
 */
export async function purgeTraces(
  { root, settingsFile }: ScopePlaces,
  home: HomeSource,
  dryRun = false,
): Promise<readonly string[]> {
  const state = statePath(home);
  const project = createHash("sha256")
    .update(await realFile(root))
    .digest("hex");
  const traces = [
    join(state, "state", "project", `h-${project}.json`),
    join(state, "log"),
    join(state, "backups", settingsKey(await realFile(settingsFile))),
  ];
  const there = traces.filter((path) => existsSync(path));
  if (!dryRun) for (const path of there) await rm(path, { recursive: true, force: true });
  return there;
}
