import { fileHookTypes, hookFields, isObject } from "../../protocol/internal.ts";
import { misspelledKeys } from "./check-fields.ts";
import { statedOnFailure } from "./failure-policy.ts";

type Values = Readonly<Record<string, unknown>>;

/** A key that means `hooks` or an event, in any place of a file. */
export interface HooksKey {
  /** `hooks`, or the event. */
  readonly meant: string;
  readonly inside: unknown;
  /** The path of the key. */
  readonly at: string;
  /** The first key of that path, below the value that was searched. */
  readonly top: string;
}

/** Whether a key with such a name, at the top of the value, counts although nothing inside looks like a hook. */
type Counts = (key: string, meant: string, inside: unknown) => boolean;

/**
 * The keys of a value, at any depth, under which there are hooks: they mean `hooks` or an event and contain something that looks like a
 * hook. What is inside them is not searched.
 */
export function findHooks(
  value: unknown,
  below: string,
  events: ReadonlySet<string>,
  counts: Counts = () => true,
): readonly HooksKey[] {
  const withHooks = objectsWithHooks(value);
  const isBrokenForm = (key: string, inside: unknown) =>
    key === "hooks" && isObject(inside) && Object.keys(inside).some((name) => events.has(name));
  const found: HooksKey[] = [];
  const search = (inside: unknown, below: string, topKey?: string): void => {
    if (Array.isArray(inside)) for (const [index, item] of inside.entries()) search(item, `${below}[${index}]`, topKey);
    if (!isObject(inside)) return;
    const names = topKey === undefined || withHooks.has(inside) ? hookNames(inside, events) : undefined;
    for (const [key, value] of Object.entries(inside)) {
      const at = below === "" ? key : `${below}.${key}`;
      const [meant, top] = [names?.get(key), topKey ?? key];
      const isUsed =
        meant !== undefined && (withHooks.has(value) || (topKey === undefined && counts(key, meant, value)));
      if (isUsed || isBrokenForm(key, value)) found.push({ meant: meant ?? key, inside: value, at, top });
      else if (!isPutAside(key)) search(value, at, top);
    }
  };
  search(value, below);
  return found;
}

/**
 * The keys of an object that mean `hooks` or an event: written correctly, misspelled, or as a path such as `hooks.Stop`.
 * `permissions.denied` does not mean PermissionDenied.
 */
function hookNames(value: Values, events: ReadonlySet<string>): ReadonlyMap<string, string> {
  const known = ["hooks", ...[...events].flatMap((event) => [event, `hooks.${event}`])];
  const exact = known.flatMap((key) => (Object.hasOwn(value, key) ? { key, meant: key } : []));
  const misspelled = misspelledKeys(value, known).filter(({ key }) => !/^permissions?\./i.test(key));
  const found = [...exact, ...misspelled];
  return new Map(found.map(({ key, meant }) => [key, meant.replace("hooks.", "")]));
}

/** The objects and lists that are, or contain, something that looks like a hook. */
function objectsWithHooks(value: unknown): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const isWithHook = (inside: unknown, isListed: boolean): boolean => {
    if (typeof inside !== "object" || inside === null) return false;
    let isFound = isObject(inside) && isLikeHook(inside, isListed);
    const isList = Array.isArray(inside);
    for (const [key, item] of Object.entries(inside)) if (!isPutAside(key) && isWithHook(item, isList)) isFound = true;
    if (isFound) found.add(inside);
    return isFound;
  };
  isWithHook(value, false);
  return found;
}

/**
 * An object that says that its failure denies, a group (an object with a list of objects as its hooks), or, in a list, an object with the
 * type of a hook and what that type needs. Elsewhere that may be any other command.
 */
function isLikeHook(value: Values, isListed: boolean): boolean {
  const { type, hooks, ...others } = value;
  if (statedOnFailure(value) === "block" || (Array.isArray(hooks) && hooks.some(isObject))) return true;
  const known = isListed ? fileHookTypes.find((name) => name === type) : undefined;
  if (known === undefined) return false;
  const { type: _, ...fields } = hookFields[known];
  return Object.entries(fields).every(([name, { optional }]) => optional || Object.hasOwn(others, name));
}

/** Whether nothing under a key was meant to have an effect. Servers look like hooks. */
function isPutAside(key: string): boolean {
  return isNote(key) || key === "mcpServers" || key === "lspServers";
}

/** Whether a key turns what is under it into a note, as in `_hooks` and `//hooks`, or puts it aside, as in `disabledHooks`. */
export function isNote(key: string): boolean {
  if (isComment(key)) return true;
  const words = key.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z]+/).some((word) => asideWords.has(word));
}

const asideWords: ReadonlySet<string> = new Set("disabled inactive unused backup backups example examples".split(" "));

export function isComment(key: string): boolean {
  return /^[_/#$]/.test(key);
}
