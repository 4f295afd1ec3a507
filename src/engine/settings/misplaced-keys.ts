import { isObject, settingsFields, showValue, type Warning } from "../../protocol/internal.ts";
import { lettersOf, misspelledKeys } from "./check-fields.ts";
import type { OtherKey } from "./check-hooks.ts";
import { claudeCodeKeys, olderClaudeCodeKeys } from "./claude-code-keys.ts";
import { isAboutFailure, wantsBlock } from "./failure-policy.ts";
import { isComment, isNote } from "./find-hooks.ts";
import { findRules } from "./find-rules.ts";
import { shortened } from "./hook-names.ts";

type SettingsFile = Readonly<Record<string, unknown>>;

/** The keys that a file has besides those of Hookline. */
interface OtherKeys {
  /** The keys of a file that has hooks and no settings. */
  readonly ofHooks: ReadonlySet<string> | undefined;
  /** Those in its hooks. */
  readonly inHooks: readonly OtherKey[];
  /** Keys of the file that have a warning of their own. */
  readonly reported: ReadonlySet<string>;
}

/**
 * Reports the keys of a file that nothing reads: one by one those that look like a known one, belong elsewhere or contain rules, and all
 * others together. What counts as a part of `permissions` although it is elsewhere is returned under its path: what restricts is asked about.
 */
export function checkOtherKeys(
  value: SettingsFile,
  file: string,
  { ofHooks, inHooks, reported }: OtherKeys,
): { readonly permissions: SettingsFile; readonly warnings: readonly Warning[] } {
  const known = ofHooks ?? new Set(knownKeys());
  const places = ofHooks ? new Map<string, string>() : placesOfKeys(value);
  const onTop = Object.entries(value).map(([key, inside]) => ({ key, at: key, inside, isReported: reported.has(key) }));
  const others = [
    ...onTop.flatMap((one) => (known.has(one.key) ? (ofHooks ? restrictionsIn(one, file) : []) : [one])),
    ...inHooks,
  ];
  const found = others.map((other) => {
    const meant = other.at === other.key ? (places.get(other.key) ?? placeOfPolicy(other)) : undefined;
    if (!ofHooks) return misplaced(other, meant);
    return meant === undefined ? [] : [{ at: other.at, meant }];
  });
  const misplacedKeys: readonly MisplacedKey[] = found.flat();
  const unknown = others.filter((other, index) => !(other.isReported || found[index]?.length || isPutAside(other)));
  return {
    permissions: Object.fromEntries(misplacedKeys.flatMap(({ rules = [] }) => rules)),
    warnings: [...misplacedKeys.map((one) => misplacedWarning(one, file)), ...unknownWarning(unknown, file)],
  };
}

/** Rules and guards under a key with another meaning, such as `metadata`. */
function restrictionsIn(other: OtherKey, file: string): readonly OtherKey[] {
  const { key, inside } = other;
  if (key === "hooks") return [];
  const rules = findRules(key, key, inside);
  if (rules.length > 0) return rules.map(({ at, rules }) => ({ ...other, at, inside: rules }));
  return wantsBlock(inside, { file, event: "", at: key }) ? [other] : [];
}

function knownKeys(): readonly string[] {
  return Object.keys({ ...settingsFields, ...claudeCodeKeys(), ...olderClaudeCodeKeys });
}

interface MisplacedKey {
  /** The path of the key. */
  readonly at: string;
  /** Its right name or place. */
  readonly meant: string;
  /** The rules in it, under their paths. */
  readonly rules?: readonly (readonly [path: string, rules: unknown])[];
}

/** What a key contains that belongs elsewhere. `meant` is the right place of the key itself. */
function misplaced({ key, at, inside }: OtherKey, meant: string | undefined): readonly MisplacedKey[] {
  if (meant === "permissions" && isObject(inside)) {
    const own = Object.entries(inside).filter(([name]) => !isComment(name));
    return [{ at, meant, rules: own.map(([name, given]) => [`${at}.${name}`, given]) }];
  }
  if (at === key && /^permissions?\./i.test(key)) return [{ at, meant: meant ?? "permissions", rules: [[at, inside]] }];
  const found = findRules(key, at, inside).map(({ at, rules }): MisplacedKey => {
    // Always a path: under `deny` itself they would be rules of the file.
    const path = at.includes(".") ? at : `(top level).${at}`;
    return { at, meant: meant ?? "permissions", rules: [[path, rules]] };
  });
  return found.length > 0 || meant === undefined ? found : [{ at, meant }];
}

function misplacedWarning({ at, meant, rules }: MisplacedKey, file: string): Warning {
  const effect = rules === undefined ? " and has no effect" : "; what it denies or asks about is asked about";
  const message = `${showValue(at)} in ${file} is not a settings key${effect}. Use ${meant} instead.`;
  return { code: "settings-invalid", message, place: `${file}: ${at}` };
}

/** The right name or place of keys that are misspelled, belong below `permissions`, or are options of the command line. */
function placesOfKeys(value: SettingsFile): ReadonlyMap<string, string> {
  const { permissions } = settingsFields;
  const permissionNames = Object.keys((permissions.is === "object" && permissions.fields) || {});
  const places = new Map([
    ...permissionNames.map((name) => [name, `permissions.${name}`] as const),
    ["allowedTools", "permissions.allow"],
    ["disallowedTools", "permissions.deny"],
    ["permissionMode", "permissions.defaultMode"],
  ]);
  const misspelled = misspelledKeys(value, [...knownKeys(), ...places.keys()]).filter(
    // `task` is not a misspelled `ask`.
    ({ key, meant }) => !/^(?:allow|ask|deny)$/.test(meant) || lettersOf(key) === meant,
  );
  // A key that looks like `hooks` is reported with the hooks.
  const others = misspelled.filter(({ meant }) => meant !== "hooks");
  return new Map([...places, ...others.map(({ key, meant }) => [key, places.get(meant) ?? meant] as const)]);
}

function placeOfPolicy({ key, inside }: OtherKey): string | undefined {
  return isAboutFailure(key, inside) ? "onFailure of a group or a hook" : undefined;
}

/** A comment, or hooks or rules that were put aside. */
function isPutAside({ key, inside }: OtherKey): boolean {
  return isComment(key) || (isNote(key) && [inside].flat(Number.POSITIVE_INFINITY).some(isObject));
}

function unknownWarning(keys: readonly OtherKey[], file: string): readonly Warning[] {
  if (keys.length === 0) return [];
  const names = keys.slice(0, mostNamed).map(({ at }) => showValue(shortened(at)));
  const rest = keys.length > mostNamed ? ` and ${keys.length - mostNamed} more` : "";
  const message = `${file} has unknown keys, which have no effect: ${names.join(", ")}${rest}.`;
  return [{ code: "unknown-keys", message, place: file }];
}

const mostNamed = 10;
