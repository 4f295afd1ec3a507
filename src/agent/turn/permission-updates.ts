import { join } from "node:path";
import { approveGrants, type Engine, editSettings, type PlanEdits } from "../../engine/internal.ts";
import { fieldOf, type PermissionDestination, type PermissionUpdate, stringsIn } from "../../protocol/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { AgentThread } from "../session/agent-session.ts";

/** Applies rule changes to the session and writes them to settings files. Updates that cannot be used are reported and dropped. */
export async function storeUpdates(
  thread: AgentThread,
  updates: readonly PermissionUpdate[],
  scope?: string,
): Promise<void> {
  if (updates.length === 0) return;
  const { permissions, engine, options, notice, directories } = thread.session;
  const { accepted, stored, warnings } = await permissions.apply(updates, scope);
  for (const { message } of warnings) notice(message, "warning");
  // An accepted update applies to this session even if its file changes later.
  await permissions.apply(
    accepted.map((update) => ({ ...update, destination: "session" as const })),
    scope,
  );
  for (const update of accepted) changeFolders(directories, update);
  for (const update of stored) await write(update, options, engine);
  if (stored.length > 0) await engine.reload();
}

function changeFolders(directories: string[], update: PermissionUpdate): void {
  if (update.type === "addDirectories")
    directories.push(...update.directories.filter((folder) => !directories.includes(folder)));
  if (update.type === "removeDirectories")
    directories.splice(0, directories.length, ...directories.filter((folder) => !update.directories.includes(folder)));
}

async function write(update: PermissionUpdate, options: AgentOptions, engine: Engine): Promise<void> {
  const file = fileOf(update.destination, options);
  if (file === undefined) return;
  const { contentHash } = await editSettings(file, editsOf(update));
  // Reloads before the file watcher reports our own write as a change.
  await engine.reload({ written: [contentHash] });
  const grants = grantsOf(update);
  if (grants.length > 0) await approveGrants({ cwd: options.cwd, home: options.home, env: options.env }, grants);
}

function fileOf(destination: PermissionDestination, { cwd, configFolder }: AgentOptions): string | undefined {
  if (destination === "session") return undefined;
  if (destination === "userSettings") return join(configFolder, "settings.json");
  return join(cwd, ".claude", destination === "localSettings" ? "settings.local.json" : "settings.json");
}

function editsOf(update: PermissionUpdate): PlanEdits {
  return (settings) => {
    if (update.type === "setMode") return [{ do: "set", path: ["permissions", "defaultMode"], value: update.mode }];
    const [list, values] = listOf(update);
    const path = ["permissions", list];
    const before = stringsIn(fieldOf(fieldOf(settings, "permissions"), list));
    if (update.type === "addRules" || update.type === "addDirectories")
      return values.filter((text) => !before.includes(text)).map((value) => ({ do: "append", path, value }));
    const value = update.type === "replaceRules" ? values : before.filter((text) => !values.includes(text));
    return [{ do: "set", path, value }];
  };
}

function listOf(update: Exclude<PermissionUpdate, { type: "setMode" }>): readonly [string, readonly string[]] {
  if ("directories" in update) return ["additionalDirectories", update.directories];
  return [update.behavior, ruleTexts(update)];
}

/** The rules of an update, as settings files contain them. */
export function ruleTexts(update: PermissionUpdate): readonly string[] {
  if (!("rules" in update)) return [];
  return update.rules.map(({ toolName, ruleContent }) =>
    ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
  );
}

/** The entries in a checkout's files that the user has just granted: they are approved individually. */
function grantsOf(update: PermissionUpdate): Parameters<typeof approveGrants>[1] {
  const { destination, type } = update;
  if (destination !== "localSettings" && destination !== "projectSettings") return [];
  if (type === "setMode" || type === "removeRules" || type === "removeDirectories") return [];
  const [list, values] = listOf(update);
  if (list !== "allow" && list !== "additionalDirectories") return [];
  return values.map((value) => ({ layer: destination === "localSettings" ? "local" : "project", list, value }));
}
