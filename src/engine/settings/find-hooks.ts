import { fileHookTypes, hookFields, isObject } from "../../protocol/internal.ts";
import { misspelledKeys } from "./check-fields.ts";

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

/** The keys of an object that mean `hooks` or an event: written correctly, misspelled, or as a path such as `hooks.Stop`. */
function hookNames(value: Values, events: ReadonlySet<string>): ReadonlyMap<string, string> {
  const known = ["hooks", ...[...events].flatMap((event) => [event, `hooks.${event}`])];
  const exact = known.flatMap((key) => (Object.hasOwn(value, key) ? { key, meant: key } : []));
  const found = [...exact, ...misspelledKeys(value, known)];
  return new Map(found.map(({ key, meant }) => [key, meant.replace("hooks.", "")]));
}

/** The objects and lists that are, or contain, something that looks like a hook. */
function objectsWithHooks(value: unknown): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const isWithHook = (inside: unknown): boolean => {
    if (typeof inside !== "object" || inside === null) return false;
    let isFound = isObject(inside) && isLikeHook(inside);
    for (const [key, item] of Object.entries(inside)) if (!isPutAside(key) && isWithHook(item)) isFound = true;
    if (isFound) found.add(inside);
    return isFound;
  };
  isWithHook(value);
  return found;
}

/** An object with the type of a hook and what that type needs, or a group: an object with a list of objects as its hooks. */
function isLikeHook({ type, hooks, ...others }: Values): boolean {
  if (Array.isArray(hooks) && hooks.some(isObject)) return true;
  const known = fileHookTypes.find((name) => name === type);
  if (known === undefined) return false;
  const { type: _, ...fields } = hookFields[known];
  return Object.entries(fields).every(([name, { optional }]) => optional || Object.hasOwn(others, name));
}

/**
 * Whether nothing under a key was meant to run. Hooks are turned into a note or put aside as `_hooks`, `//hooks` or `disabledHooks`, and
 * servers look like hooks.
 */
function isPutAside(key: string): boolean {
  if (/^[_/#$]/.test(key) || key === "mcpServers" || key === "lspServers") return true;
  const words = key.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.split(/[^a-z]+/).some((word) => asideWords.has(word));
}

const asideWords: ReadonlySet<string> = new Set("disabled inactive unused backup backups example examples".split(" "));
