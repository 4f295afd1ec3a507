import { isAbsolute } from "node:path";
import {
  type HookOutput,
  isObject,
  type OutcomeOutput,
  type PermissionUpdate,
  type Verdict,
  type Warning,
} from "../../../protocol/internal.ts";
import type { HookRun } from "../fire.ts";
import { warn } from "./read-verdict.ts";

/** `output.permission` of an event that answers for the user; empty for any other event. */
export function permissionOutput(
  output: HookOutput,
  verdict: Verdict,
  run: HookRun,
): { output: Pick<OutcomeOutput, "permission">; warnings: readonly Warning[] } {
  if (!run.event.row.answers.includes("decision")) return { output: {}, warnings: [] };
  const answer = output.hookSpecificOutput?.decision;
  if (verdict.kind === "deny") {
    const interrupt = answer?.behavior === "deny" && answer.interrupt === true ? { interrupt: true } : {};
    return { output: { permission: { behavior: "deny", message: verdict.reason, ...interrupt } }, warnings: [] };
  }
  if (verdict.kind !== "allow") return { output: {}, warnings: [] };
  const wanted = answer?.behavior === "allow" ? (answer.updatedPermissions ?? []) : [];
  const { updates, warnings } = permissionUpdates(wanted, run);
  const permission = { behavior: "allow" as const, ...(updates.length > 0 ? { updatedPermissions: updates } : {}) };
  return { output: { permission }, warnings };
}

/** Each entry is checked alone; a bad one is dropped with a warning and the others stay. */
function permissionUpdates(
  wanted: readonly unknown[],
  run: HookRun,
): { updates: readonly PermissionUpdate[]; warnings: readonly Warning[] } {
  const updates: PermissionUpdate[] = [];
  const warnings: Warning[] = [];
  wanted.forEach((entry, index) => {
    const fault = faultOfUpdate(entry, run);
    if (fault === undefined) updates.push(entry as PermissionUpdate);
    else warnings.push(warn(run, "permission-update-invalid", `updatedPermissions[${index}] was dropped: ${fault}`));
  });
  return { updates, warnings };
}

function faultOfUpdate(entry: unknown, { event, hook }: HookRun): string | undefined {
  if (!isObject(entry)) return "it is not an object";
  const { type, destination, mode } = entry;
  if (!destinations.has(destination)) return `destination must be ${[...destinations].join(", ")}`;
  if (destination === "userSettings" && checkoutLayers.has(hook.layer.kind)) {
    return "a hook of the project may not write the user's settings";
  }
  switch (type) {
    case "addRules":
    case "replaceRules":
    case "removeRules":
      return faultOfRules(entry);
    case "setMode":
      if (typeof mode !== "string") return "mode must be a string";
      if (mode !== "bypassPermissions") return undefined;
      if (destination !== "session") return "bypassPermissions is never stored";
      return event.services.options.bypassAvailable ? undefined : "the host does not offer bypassPermissions";
    case "addDirectories":
    case "removeDirectories":
      return isList(entry["directories"], (path) => typeof path === "string" && isAbsolute(path))
        ? undefined
        : "directories must be a list of absolute paths";
    default:
      return `type ${JSON.stringify(type)} is not known`;
  }
}

function faultOfRules({ rules, behavior }: Readonly<Record<string, unknown>>): string | undefined {
  if (!behaviours.has(behavior)) return "behavior must be allow, ask or deny";
  return isList(rules, isRule) ? undefined : "rules must be a list of { toolName, ruleContent? }";
}

function isRule(rule: unknown): boolean {
  if (!isObject(rule)) return false;
  const { toolName, ruleContent } = rule;
  return (
    typeof toolName === "string" && toolName !== "" && (ruleContent === undefined || typeof ruleContent === "string")
  );
}

function isList(value: unknown, check: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(check);
}

const destinations: ReadonlySet<unknown> = new Set(["session", "localSettings", "projectSettings", "userSettings"]);
const behaviours: ReadonlySet<unknown> = new Set(["allow", "ask", "deny"]);
const checkoutLayers: ReadonlySet<string> = new Set(["project", "local", "skill", "agent"]);
