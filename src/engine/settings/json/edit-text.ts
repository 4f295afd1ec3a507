import { isDeepStrictEqual } from "node:util";
import { defined, Problem } from "../../../protocol/internal.ts";
import {
  applySplices,
  insertItem,
  layoutOf,
  lineIndent,
  printed,
  printedInline,
  removeItem,
  type Splice,
} from "./edit-items.ts";
import { faultText, type JsonContainer, type JsonItem, type JsonNode, parseJsonc, plainValue } from "./jsonc.ts";

/** Keys and numbers from the root to a value. */
export type JsonPath = readonly (string | number)[];

/** One change of a settings file. */
export type Edit =
  /** Sets the value at a path, and creates missing containers. */
  | { readonly do: "set"; readonly path: JsonPath; readonly value: unknown }
  /** Adds to the end of a list, which is created if it is missing. */
  | { readonly do: "append"; readonly path: JsonPath; readonly value: unknown }
  /** Removes a value, if it exists. Containers from `made` on, which were created for it, are removed with it if they are empty. */
  | { readonly do: "remove"; readonly path: JsonPath; readonly made?: JsonPath };

/**
 * Applies edits to a text, one after another.
 *
 * Contract: bytes outside an edit stay as they are. A text that cannot be read, or an edit that does not fit it, is a `Problem`;
 * every result is read back, so a text with another meaning than intended is never returned.
 */
export function editText(text: string, edits: readonly Edit[], name = "the settings"): string {
  let current = text;
  for (const edit of edits) {
    const tree = readOrThrow(current, name);
    const plan = planEdit(current, tree, edit);
    current = applySplices(current, plan.splices);
    const expected = withValueAt(plainValue(tree), plan.path, asRead(plan.value));
    if (!isDeepStrictEqual(plainValue(readOrThrow(current, name)), expected))
      throw notEditable([], `the result would differ from what was requested for ${name}`);
  }
  return current;
}

interface Plan {
  readonly splices: readonly Splice[];
  readonly path: JsonPath;
  /** The value at the path afterwards; undefined: none. */
  readonly value: unknown;
}

function planEdit(text: string, tree: JsonNode, edit: Edit): Plan {
  const { path } = edit;
  if ("value" in edit && JSON.stringify(edit.value) === undefined)
    throw notEditable(path, "the new value is not valid JSON");
  if (path.length === 0) throw notEditable(path, "a file is edited by what is in it, not as a whole");
  const located = locate(tree, path);
  const { item } = located;
  switch (edit.do) {
    case "remove":
      return item === undefined ? { splices: [], path, value: undefined } : removed(text, located, path, edit.made);
    case "append": {
      if (item !== undefined && item.value.kind !== "array") throw notEditable(path, "it holds no list");
      const next = [...path, item?.value.kind === "array" ? item.value.items.length : 0];
      return added(text, locate(tree, next), next, edit.value);
    }
    case "set": {
      if (item === undefined) return added(text, located, path, edit.value);
      const { start, end } = item.value;
      return { splices: [{ start, end, text: replacement(text, located, item, edit.value) }], path, value: edit.value };
    }
  }
}

function added(text: string, { containers, left }: Located, path: JsonPath, value: unknown): Plan {
  const container = containers.at(-1);
  const [step, ...below] = left;
  if (container === undefined || step === undefined) throw notEditable(path, "it is already there");
  if (typeof step === "number" && step !== container.items.length) {
    throw notEditable(path, `the list has ${container.items.length} items, so ${step} is not the next one`);
  }
  const nested = below.reduceRight<unknown>(
    (inner, key) => (typeof key === "number" ? [inner] : { [key]: inner }),
    value,
  );
  const splices = insertItem(text, container, { key: typeof step === "string" ? step : undefined, value: nested });
  return { splices, path, value };
}

function replacement(text: string, { containers }: Located, item: JsonItem, value: unknown): string {
  const layout = layoutOf(text);
  const isOnOwnLine = text.slice(containers.at(-1)?.start, item.start).includes("\n");
  return isOnOwnLine ? printed(value, layout, lineIndent(text, item.start)) : printedInline(value, layout);
}

function removed(text: string, { containers }: Located, path: JsonPath, made: JsonPath = path): Plan {
  let length = path.length;
  // Containers that were created for the value, and contain nothing else, are removed with it.
  while (length > made.length && containers[length - 1]?.items.length === 1) length -= 1;
  const target = path.slice(0, length);
  const container = containers[length - 1];
  const item = container && itemAt(container, target.at(-1));
  const splices = container && item ? removeItem(text, container, item) : [];
  return { splices, path: target, value: undefined };
}

/** A given value may contain `undefined`, which a file cannot. */
function asRead(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

function readOrThrow(text: string, name: string): JsonNode {
  const parsed = parseJsonc(text);
  if ("tree" in parsed) return parsed.tree;
  const { line, column } = parsed.fault;
  const message = `${name} cannot be read: ${faultText(parsed.fault)}. Correct it by hand.`;
  throw new Problem("settings/unreadable", message, { about: { name, line, column } });
}

function notEditable(path: JsonPath, why: string): Problem {
  const message = `${path.join(".") || "The file"} cannot be edited: ${why}.`;
  return new Problem("settings/not-editable", message, { about: { path } });
}

/** The way to a value, as far as it exists. */
interface Located {
  /** The containers on the way, the root first. */
  readonly containers: readonly JsonContainer[];
  /** The item at the path, if it exists. */
  readonly item?: JsonItem;
  /** The part of the path that does not exist. */
  readonly left: JsonPath;
}

/** Contract: a step through a value that is not a container, or not an object where a key is given, is a `Problem`. */
function locate(tree: JsonNode, path: JsonPath): Located {
  const containers: JsonContainer[] = [];
  let node = tree;
  let item: JsonItem | undefined;
  for (let depth = 0; depth < path.length; depth++) {
    const container = containerFor(node, path, depth);
    containers.push(container);
    item = itemAt(container, path[depth]);
    if (item === undefined) return { containers, left: path.slice(depth) };
    node = item.value;
  }
  return defined({ containers, item, left: [] });
}

export function itemAt(container: JsonContainer, step: string | number | undefined): JsonItem | undefined {
  return typeof step === "number" ? container.items[step] : container.items.find(({ key }) => key === step);
}

function containerFor(node: JsonNode, path: JsonPath, depth: number): JsonContainer {
  const wanted = typeof path[depth] === "number" ? "array" : "object";
  if (node.kind === wanted) return node;
  const at = path.slice(0, depth).join(".") || "the file";
  const found = node.kind === "leaf" ? JSON.stringify(node.value) : `an ${node.kind}`;
  const message = `${at} should hold an ${wanted}, but holds ${found}. Fix it by hand first.`;
  throw new Problem("settings/not-editable", message, { about: { path } });
}

/** A copy of a value with another one at a path; undefined removes it. Missing containers are created. */
function withValueAt(root: unknown, path: JsonPath, value: unknown): unknown {
  const [step, ...below] = path;
  if (step === undefined) return value;
  if (typeof step === "number") {
    const items: unknown[] = Array.isArray(root) ? root : [];
    const item = withValueAt(items[step], below, value);
    return item === undefined ? items.toSpliced(step, 1) : [...items.slice(0, step), item, ...items.slice(step + 1)];
  }
  const members = new Map<string, unknown>(Object.entries((root ?? {}) as object));
  const member = withValueAt(members.get(step), below, value);
  if (member === undefined) members.delete(step);
  else members.set(step, member);
  return Object.fromEntries(members);
}
