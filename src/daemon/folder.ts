import { daemonFolderOf, openState } from "../files/internal.ts";
import { appKey } from "../sdk/internal.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Where the daemon of a hooks file keeps its things. Touches nothing. */
export function daemonFolder(hooksFile: string, env: Env): string {
  return daemonFolderOf(appKey(hooksFile), { env });
}

/** The same, made if missing: 0700, refused when it is not safely ours. */
export function openDaemonFolder(hooksFile: string, env: Env): Promise<string> {
  return openState(["daemon", appKey(hooksFile)], { env });
}
