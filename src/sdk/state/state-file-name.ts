import { realpathSync } from "node:fs";
import { ignoringErrorsSync, sha256 } from "../../files/internal.ts";
import type { HookEvent } from "../app/hook-event.ts";
import { projectDirOf, type RunEnvironment } from "../app/run-environment.ts";
import type { StoreName } from "./state.ts";

/** The file that holds one scope of an event's state, in the folder of that scope. */
export function stateFileName(
  scope: StoreName,
  event: Pick<HookEvent, "sessionId" | "cwd">,
  environment: Pick<RunEnvironment, "env" | "cwd">,
): string {
  if (scope === "user") return "user.json";
  if (scope !== "project") return `${fileNameOf(event.sessionId ?? "")}.json`;
  const project = projectDirOf(event, environment);
  // A removed folder has no other name.
  return `${hashed(ignoringErrorsSync(["ENOENT"], () => realpathSync(project)) ?? project)}.json`;
}

/** Ids never become paths: a lower-case UUID is used unchanged, anything else by its hash. */
export function fileNameOf(id: string): string {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? id : hashed(id);
}

function hashed(text: string): string {
  // Not imported: a hook process loads this module and mostly needs no hash.
  return `h-${sha256(text)}`;
}
