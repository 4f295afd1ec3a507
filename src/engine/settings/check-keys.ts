import {
  defined,
  type Field,
  isObject,
  type Settings,
  settingsFields,
  showValue,
  type Warning,
} from "../../protocol/internal.ts";
import { type Fault, faultOf, misspelledKeys, ownValue, warningAt } from "./check-fields.ts";
import { clientKeys, olderClientKeys } from "./client-keys.ts";

/**
 * The keys of a settings file other than `hooks`, each checked on its own.
 *
 * Contract: as little as possible is dropped: one bad rule leaves the other rules of its list in force.
 */
export function checkKeys(
  value: Readonly<Record<string, unknown>>,
  file: string,
): { readonly settings: Omit<Settings, "hooks">; readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const drop: Drop = ({ field: at, why }, found) => {
    const strict = oneRule(at, found) ?? strictReadings[at];
    const effect =
      strict === undefined ? "is ignored; the rest of the file stays active" : `counts as ${showValue(strict)}`;
    warnings.push(warningAt("settings-invalid", file, at, `${why}. It ${effect}.`));
    return strict;
  };
  const { hooks: _, ...fields } = settingsFields;
  const written = withAutoMode(value);
  const settings = Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, usablePart(ownValue(written, name), field, name, drop)]),
  );
  return { settings: defined(settings), warnings: [...warnings, ...misplacedKeys(value, file)] };
}

/** The client accepts `disableAutoMode` in two places. Outside `permissions` it means the same. */
function withAutoMode(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { disableAutoMode, permissions = {} } = value;
  if (disableAutoMode === undefined || !isObject(permissions)) return value;
  return { ...value, permissions: { disableAutoMode, ...permissions } };
}

/** A single rule instead of a list that restricts counts as that list. */
function oneRule(at: string, found: unknown): readonly string[] | undefined {
  return (at === "permissions.deny" || at === "permissions.ask") && typeof found === "string" ? [found] : undefined;
}

/** Keys that look like a known one or belong elsewhere: their value has no effect. */
function misplacedKeys(value: Readonly<Record<string, unknown>>, file: string): readonly Warning[] {
  if (Object.keys(value).every((key) => Object.hasOwn(settingsFields, key))) return [];
  const known = Object.keys({ ...settingsFields, ...clientKeys(), ...olderClientKeys });
  const misplaced = Object.keys(value)
    .filter((key) => Object.hasOwn(placesOfRules, key) && !known.includes(key))
    .map((key) => ({ key, meant: placesOfRules[key] }));
  // A key that looks like `hooks` is reported with the hooks.
  const misspelled = misspelledKeys(value, known).filter(
    ({ key, meant }) => meant !== "hooks" && !Object.hasOwn(placesOfRules, key),
  );
  return [...misplaced, ...misspelled].map(({ key, meant }) => {
    const message = `${showValue(key)} in ${file} is not a settings key and has no effect. Use ${meant} instead.`;
    return { code: "settings-invalid", message, place: `${file}: ${key}` };
  });
}

const placesOfRules: Readonly<Record<string, string>> = {
  allow: "permissions.allow",
  ask: "permissions.ask",
  deny: "permissions.deny",
  allowedTools: "permissions.allow",
  disallowedTools: "permissions.deny",
  defaultMode: "permissions.defaultMode",
  permissionMode: "permissions.defaultMode",
  additionalDirectories: "permissions.additionalDirectories",
  blockReadsOutsideWorkingDirectories: "permissions.blockReadsOutsideWorkingDirectories",
  blockWritesOutsideWorkingDirectories: "permissions.blockWritesOutsideWorkingDirectories",
  denyInsteadOfPrompting: "permissions.denyInsteadOfPrompting",
  disableBypassPermissionsMode: "permissions.disableBypassPermissionsMode",
};

/** Keys that only restrict: a value that cannot be used is read as the strictest, as the client does in managed settings. */
const strictReadings: Readonly<Record<string, boolean | string | readonly string[]>> = {
  allowManagedHooksOnly: true,
  allowManagedPermissionRulesOnly: true,
  strictPluginOnlyCustomization: true,
  managedHooksOnFailure: "block",
  allowedHttpHookUrls: [],
  httpHookAllowedEnvVars: [],
  onConflict: "deny",
  "permissions.allowManagedPermissionRulesOnly": true,
  "permissions.blockReadsOutsideWorkingDirectories": true,
  "permissions.blockWritesOutsideWorkingDirectories": true,
  "permissions.denyInsteadOfPrompting": true,
  "permissions.disableAutoMode": "disable",
  "permissions.disableBypassPermissionsMode": "disable",
};

type Drop = (fault: Fault, found: unknown) => unknown;

/** The value without the members that cannot be used; undefined when nothing is left. */
function usablePart(value: unknown, field: Field, at: string, drop: Drop): unknown {
  if (value === undefined) return undefined;
  if (field.is === "list" && Array.isArray(value)) {
    return value.filter((item, index) => usablePart(item, field.of, `${at}[${index}]`, drop) !== undefined);
  }
  if (field.is === "object" && isObject(value) && !hasNeededFields(field)) {
    const members = Object.entries(value).map(([name, member]) => {
      const { fields = {}, values = { is: "anything" } } = field;
      const own = (Object.hasOwn(fields, name) ? fields[name] : undefined) ?? values;
      return [name, usablePart(member, own, `${at}.${name}`, drop)] as const;
    });
    return defined(Object.fromEntries(members));
  }
  const fault = faultOf(value, field, at);
  return fault === undefined ? value : drop(fault, value);
}

/** An object with required members counts as a whole or not at all. */
function hasNeededFields(field: Extract<Field, { is: "object" }>): boolean {
  return Object.values(field.fields ?? {}).some(({ optional }) => !optional);
}
