import { existsSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { HomeSource } from "../../files/internal.ts";
import type { LockFile } from "../edit/lock-file.ts";
import { projectDir } from "../plan/hook-command.ts";
import { type OwnPlace, ownHooks } from "../plan/own-entries.ts";
import {
  type ClientForm,
  compiledClientPath,
  isCompiled,
  isCompiledClientPath,
  packageOfClient,
  programOfScript,
} from "./compiled-client.ts";

/** The client that entries call. */
export interface ClientInUse {
  readonly form: ClientForm;
  /** As entries name it, from the root. */
  readonly path: string;
  /** A compiled client whose package has changed since: it hands every call to the script. */
  readonly stale: boolean;
  /** Whether the entries start a script, which may hand over to a compiled one. */
  readonly isScript: boolean;
}

/** Undefined when no entry calls the client, or calls one that is not there. */
export async function clientInUse(
  entries: readonly OwnPlace[],
  lock: LockFile | undefined,
  root: string,
  home: HomeSource,
): Promise<ClientInUse | undefined> {
  const path = clientPathIn(entries, lock)?.replaceAll(projectDir, root);
  if (path === undefined) return undefined;
  if (isCompiledClientPath(path, home)) {
    if (!isCompiled(path)) return undefined;
    const packageRoot = await packageOfClient(path);
    const stale = packageRoot !== undefined && compiledClientPath({ packageRoot, home }) !== path;
    return { form: "compiled", path, stale, isScript: false };
  }
  if (!existsSync(path)) return undefined;
  const handsOver = programOfScript({ packageRoot: dirname(dirname(path)), home }) !== undefined;
  return { form: handsOver ? "compiled" : "script", path, stale: false, isScript: true };
}

function clientPathIn(entries: readonly OwnPlace[], lock: LockFile | undefined): string | undefined {
  const programs = entries.flatMap(ownHooks).map((hook) => {
    if (hook.type !== "command") return "";
    // A line for a shell is the lock file's own, or nobody knows where its words end.
    return hook.args === undefined ? (lock?.command[0] ?? "") : hook.command;
  });
  return programs.find((program) => basename(program) === "hookline-client");
}
