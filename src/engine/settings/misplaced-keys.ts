import { defined, isObject, settingsFields, showValue, type Warning } from "../../protocol/internal.ts";
import { keysNotCompared, misspelledKeys } from "./check-fields.ts";
import { claudeCodeKeys, olderClaudeCodeKeys } from "./claude-code-keys.ts";
import { isAboutFailure } from "./failure-policy.ts";

type SettingsFile = Readonly<Record<string, unknown>>;

/**
 * What counts as a part of `permissions` although it is elsewhere: `disableAutoMode`, which Claude Code accepts in two places, and the rules
 * under a misspelled or misplaced `permissions` or a key such as `permissions.deny`. Those are kept under their path: what restricts is asked
 * about, and all are reported.
 */
export function permissionsElsewhere(value: SettingsFile): SettingsFile {
  const rules = misplaced(value).flatMap(({ key, meant, inside }): readonly (readonly [string, unknown])[] => {
    if (meant === "permissions" && isObject(inside))
      return Object.entries(inside).map(([name, given]) => [`${key}.${name}`, given]);
    return isDotted(key) ? [[key, inside]] : [];
  });
  return { ...Object.fromEntries(rules), ...defined({ disableAutoMode: value["disableAutoMode"] }) };
}

/**
 * Keys that look like a known one or belong elsewhere: their value has no effect. Files with hooks only, such as those of plugins, may
 * have any other keys; in them a failure policy is reported.
 */
export function misplacedKeys(value: SettingsFile, file: string, hasOnlyHooks: boolean): readonly Warning[] {
  const found = misplaced(value).filter(
    ({ meant }) => !hasOnlyHooks || Object.values(placesOfPolicies).includes(meant),
  );
  const messages = found.map(({ key, meant, inside }): Warning => {
    const isKept = isDotted(key) || (meant === "permissions" && isObject(inside));
    const effect = isKept ? "; what it denies or asks about is asked about" : " and has no effect";
    const message = `${showValue(key)} in ${file} is not a settings key${effect}. Use ${meant} instead.`;
    return { code: "settings-invalid", message, place: `${file}: ${key}` };
  });
  return [...messages, ...keysNotCompared(value, knownKeys(), file, "")];
}

function knownKeys(): readonly string[] {
  return Object.keys({ ...settingsFields, ...claudeCodeKeys(), ...olderClaudeCodeKeys });
}

interface MisplacedKey {
  /** The key, or its path if it is further down. */
  readonly key: string;
  readonly meant: string;
  readonly inside: unknown;
}

function misplaced(value: SettingsFile): readonly MisplacedKey[] {
  const known = knownKeys();
  const { permissions } = settingsFields;
  const permissionNames = Object.keys((permissions.is === "object" && permissions.fields) || {});
  const places = placesOfRules(permissionNames);
  // Of the others a misspelling is recognized too: `task` is not a misspelled `ask`.
  const longNames = Object.keys(places).filter((name) => !permissionNames.includes(name));
  const exact = Object.keys(value).filter((key) => Object.hasOwn(places, key) && !known.includes(key));
  // A key that looks like `hooks` is reported with the hooks.
  const misspelled = misspelledKeys(value, [...known, ...longNames]).filter(
    ({ key, meant }) => meant !== "hooks" && !exact.includes(key),
  );
  const found = [...exact.map((key) => ({ key, meant: key })), ...misspelled];
  const isOther = (key: string) => !known.includes(key) && !found.some((one) => one.key === key);
  const others = Object.keys(value).filter(isOther);
  return [
    ...found.map(({ key, meant }) => ({ key, meant: places[meant] ?? meant, inside: value[key] })),
    ...others.flatMap((key) => {
      const rules = objectsWithRules(key, key, value[key]);
      const isPolicy = rules.length === 0 && isAboutFailure(key, value[key]);
      return isPolicy ? [{ key, meant: placesOfPolicies.onFailure, inside: value[key] }] : rules;
    }),
  ];
}

/**
 * `"perms": { "deny": [...] }`: whatever the name of a key of the file is, it was meant as permissions. Further down, as in
 * `metadata.permissions`, only that name is. A key such as `_perms` is a note.
 */
function objectsWithRules(key: string, at: string, inside: unknown): readonly MisplacedKey[] {
  if (!/^\w/.test(key) || key[0] === "_" || !isObject(inside)) return [];
  const isNamed = key === at || /^permissions?$/i.test(key);
  const isRules = ([name, rules]: readonly [string, unknown]) => /^(?:deny|ask)$/i.test(name) && Array.isArray(rules);
  if (isNamed && Object.entries(inside).some(isRules)) return [{ key: at, meant: "permissions", inside }];
  return Object.entries(inside).flatMap(([name, value]) => objectsWithRules(name, `${at}.${name}`, value));
}

function isDotted(key: string): boolean {
  return /^permissions?\./i.test(key);
}

/** The right place of keys that belong below `permissions`, and of options of the command line. */
function placesOfRules(permissionNames: readonly string[]): Readonly<Record<string, string>> {
  const places = permissionNames.map((key) => `permissions.${key}`);
  return {
    ...Object.fromEntries(places.flatMap((place, at) => [place, permissionNames[at]].map((name) => [name, place]))),
    allowedTools: "permissions.allow",
    disallowedTools: "permissions.deny",
    permissionMode: "permissions.defaultMode",
    ...placesOfPolicies,
  };
}

const placesOfPolicies = {
  onFailure: "onFailure of a group or a hook",
  failClosed: "failClosed of a group or a hook",
};
