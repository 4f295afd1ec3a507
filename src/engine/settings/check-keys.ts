import {
  type Field,
  isObject,
  type Settings,
  settingsFields,
  showValue,
  type Warning,
} from "../../protocol/internal.ts";
import { faultOf, misspelledKeys, ownValue } from "./check-fields.ts";
import { clientKeys, olderClientKeys } from "./client-keys.ts";

/**
 * The keys of a settings file beside `hooks`, each checked for itself.
 *
 * Contract: what cannot be used is left out, as narrow as possible: one bad rule leaves the other rules of its list in force.
 */
export function checkKeys(
  value: Readonly<Record<string, unknown>>,
  file: string,
): { readonly settings: Omit<Settings, "hooks">; readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const { hooks: _, ...fields } = settingsFields;
  const settings: [string, unknown][] = [];
  const written = withAutoMode(value);
  for (const [name, field] of Object.entries(fields)) {
    const usable = usablePart(ownValue(written, name), field, name, (at, why, found) => {
      const strict = oneRule(at, found) ?? strictReadings[at];
      const effect =
        strict === undefined ? "is ignored; the rest of the file stays active" : `counts as ${showValue(strict)}`;
      warnings.push({
        code: "settings-invalid",
        message: `${at} in ${file} ${why}. It ${effect}.`,
        place: `${file}: ${at}`,
      });
      return strict;
    });
    if (usable !== undefined) settings.push([name, usable]);
  }
  return { settings: Object.fromEntries(settings), warnings: [...warnings, ...misplacedKeys(value, file)] };
}

/** The client takes `disableAutoMode` in two places; the one outside `permissions` counts as if it stood there. */
function withAutoMode(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const word = ownValue(value, "disableAutoMode");
  const permissions = Object.hasOwn(value, "permissions") ? value["permissions"] : {};
  if (word === undefined || !isObject(permissions)) return value;
  return { ...value, permissions: { disableAutoMode: word, ...permissions } };
}

/** One rule in the place of a list that restricts counts as that list. */
function oneRule(at: string, found: unknown): readonly string[] | undefined {
  return (at === "permissions.deny" || at === "permissions.ask") && typeof found === "string" ? [found] : undefined;
}

/** Keys that look like a known one or belong elsewhere: their value has no effect. */
function misplacedKeys(value: Readonly<Record<string, unknown>>, file: string): readonly Warning[] {
  if (Object.keys(value).every((key) => Object.hasOwn(settingsFields, key))) return [];
  const known = Object.keys({ ...settingsFields, ...clientKeys(), ...olderClientKeys });
  const misplaced = Object.keys(value).flatMap((key) => {
    const meant = known.includes(key) || !Object.hasOwn(placesOfRules, key) ? undefined : placesOfRules[key];
    return meant === undefined ? [] : [{ key, meant }];
  });
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

type Drop = (at: string, why: string, found: unknown) => unknown;

/** The value without the members that cannot be used; undefined when nothing is left of it. */
function usablePart(value: unknown, field: Field, at: string, drop: Drop): unknown {
  if (value === undefined) return undefined;
  if (field.is === "list" && Array.isArray(value)) {
    return value.filter((item, index) => usablePart(item, field.of, `${at}[${index}]`, drop) !== undefined);
  }
  if (field.is === "object" && isObject(value) && !hasNeededFields(field)) {
    const members = Object.entries(value).map(([name, member]) => {
      const own = (field.fields && ownField(field.fields, name)) ?? field.values ?? { is: "anything" as const };
      return [name, usablePart(member, own, `${at}.${name}`, drop)] as const;
    });
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }
  const fault = faultOf(value, field, at);
  return fault === undefined ? value : drop(fault.field, fault.why, value);
}

/** An object that makes no sense without some of its members counts whole or not at all. */
function hasNeededFields(field: Extract<Field, { is: "object" }>): boolean {
  return Object.values(field.fields ?? {}).some(({ optional }) => !optional);
}

function ownField(fields: Readonly<Record<string, Field>>, name: string): Field | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
