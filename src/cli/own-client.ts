import { packageFile } from "../files/internal.ts";
import { compileClient } from "../install/index.ts";
import type { Io } from "./command-line/command.ts";

/**
 * Has this package's client compiled for the calls to come; without it they go through the script. Bundled by itself, because a daemon
 * has no use for it.
 */
export async function compileOwnClient({ env, home, signal }: Pick<Io, "env" | "home" | "signal">): Promise<void> {
  await compileClient({ packageRoot: packageFile(), home: { env, home }, env, signal });
}
