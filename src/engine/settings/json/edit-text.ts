import { isDeepStrictEqual } from "node:util";
import { Problem } from "../../../protocol/internal.ts";
import { insertItem, removeItem } from "./edit-items.ts";
import { applySplices, insideOf, layoutOf, lineIndent, printed, printedInline, type Splice } from "./json-layout.ts";
import { type JsonItem, type JsonNode, parseJsonc, plainValue } from "./jsonc.ts";

/** One change of a settings file. It is plain data, so that the caller can store how to undo it. */
export type Edit =
  /** Gives the value at a path; what is missing on the way is made. */
  | { readonly do: "set"; readonly path: JsonPath; readonly value: unknown }
  /** Adds to the end of a list, which is made if it is missing. */
  | { readonly do: "append"; readonly path: JsonPath; readonly value: unknown }
  /** Removes a value, if it exists. `made` also removes containers that were created for it and are empty. */
  | { readonly do: "remove"; readonly path: JsonPath; readonly made?: CreatedParts }
  /** Gives the value at a path in exactly these characters. */
  | { readonly do: "write"; readonly path: JsonPath; readonly text: string };

/** What an edit had to make. */
export interface CreatedParts {
  /** The outermost value that did not exist before. */
  readonly path: JsonPath;
  /** What stood between the brackets around it, when nothing but blanks and comments did. */
  readonly emptied?: string;
}

export interface Edited {
  readonly text: string;
  /** Takes the edits back, last first; a removal has no undoing here. */
  readonly undo: readonly Edit[];
}

/**
 * Applies edits to a text, one after another.
 *
 * Contract: bytes outside an edit stay as they are. A text that cannot be read, or an edit that does not fit it, is a `Problem`;
 * every result is read back, so a text that says something else than was asked for is never given out.
 */
export function editText(text: string, edits: readonly Edit[], name = "the settings"): Edited {
  const undo: Edit[] = [];
  let current = text;
  for (const edit of edits) {
    const tree = readOrThrow(current, name);
    const plan = planEdit(current, tree, edit);
    const next = applySplices(current, plan.splices);
    checkResult(next, withValueAt(plainValue(tree), plan.path, asRead(plan.value)), name);
    if (plan.undo !== undefined) undo.unshift(plan.undo);
    current = next;
  }
  return { text: current, undo };
}

interface Plan {
  readonly splices: readonly Splice[];
  readonly undo?: Edit;
  /** What the file must say at the path afterwards; undefined: nothing. */
  readonly path: JsonPath;
  readonly value: unknown;
}

function planEdit(text: string, tree: JsonNode, edit: Edit): Plan {
  if ("value" in edit && JSON.stringify(edit.value) === undefined)
    throw notEditable(edit.path, "the new value is not valid JSON");
  if (edit.path.length === 0) throw notEditable(edit.path, "a file is edited by what is in it, not as a whole");
  const { item, containers } = locate(tree, edit.path);
  switch (edit.do) {
    case "remove":
      return item === undefined ? { splices: [], path: edit.path, value: undefined } : removed(text, tree, edit);
    case "write":
      if (item === undefined) throw notEditable(edit.path, "there is nothing to write over");
      return written(text, item, edit.path, edit.text);
    case "append":
      if (item !== undefined && item.value.kind !== "array") throw notEditable(edit.path, "it holds no list");
      return added(text, tree, [...edit.path, item?.value.kind === "array" ? item.value.items.length : 0], edit.value);
    case "set":
      if (item === undefined) return added(text, tree, edit.path, edit.value);
      return written(text, item, edit.path, replacement(text, containers.at(-1), item, edit.value));
  }
}

function added(text: string, tree: JsonNode, path: JsonPath, value: unknown): Plan {
  const { containers, left } = locate(tree, path);
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
  const splices = insertItem(
    text,
    container,
    typeof step === "string" ? { key: step, value: nested } : { value: nested },
  );
  const made: CreatedParts = {
    path: path.slice(0, path.length - below.length),
    ...(container.items.length === 0 ? { emptied: insideOf(text, container) } : {}),
  };
  return { splices, undo: { do: "remove", path, made }, path, value };
}

function written(text: string, { value }: JsonItem, path: JsonPath, piece: string): Plan {
  const undo: Edit = { do: "write", path, text: text.slice(value.start, value.end) };
  const said = plainValue(readOrThrow(piece, `the text for ${path.join(".")}`));
  return { splices: [{ start: value.start, end: value.end, text: piece }], undo, path, value: said };
}

function replacement(text: string, container: JsonContainer | undefined, item: JsonItem, value: unknown): string {
  const layout = layoutOf(text);
  const ownLine = container !== undefined && text.slice(container.start, item.start).includes("\n");
  return ownLine ? printed(value, layout, lineIndent(text, item.start)) : printedInline(value, layout);
}

function removed(text: string, tree: JsonNode, { path, made }: Extract<Edit, { do: "remove" }>): Plan {
  const target = made === undefined ? path : path.slice(0, outermost(tree, path, made.path));
  const { item, containers } = locate(tree, target);
  const container = containers.at(-1);
  if (item === undefined || container === undefined) return { splices: [], path: target, value: undefined };
  const emptied = target.length === made?.path.length ? made.emptied : undefined;
  return { splices: removeItem(text, container, item, emptied), path: target, value: undefined };
}

/** How much of the path names something that would hold nothing any more, and was made for this. */
function outermost(tree: JsonNode, path: JsonPath, made: JsonPath): number {
  const { containers } = locate(tree, path);
  let length = path.length;
  while (length > made.length && containers[length - 1]?.items.length === 1) length -= 1;
  return length;
}

function checkResult(text: string, expected: unknown, name: string): void {
  const actual = plainValue(readOrThrow(text, name));
  if (!isDeepStrictEqual(actual, expected))
    throw notEditable([], `${name} would say something else than was asked for`);
}

/** A value that is given may hold `undefined` where a file holds nothing. */
function asRead(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown);
}

function readOrThrow(text: string, name: string): JsonNode {
  const parsed = parseJsonc(text);
  if ("tree" in parsed) return parsed.tree;
  const { line, column, why } = parsed.fault;
  throw new Problem(
    "settings/unreadable",
    `${name} cannot be read: line ${line}, column ${column}: ${why}. Fix it first; the file was not changed.`,
    {
      about: { name, line, column },
    },
  );
}

function notEditable(path: JsonPath, why: string): Problem {
  return new Problem("settings/not-editable", `${path.join(".") || "The file"} cannot be edited: ${why}.`, {
    about: { path },
  });
}

/** Keys and numbers from the root to a value. */
export type JsonPath = readonly (string | number)[];

export type JsonContainer = Extract<JsonNode, { kind: "object" | "array" }>;

/** The way to a value as far as it exists: the deepest container on it, and what of the path is left below that. */
interface Located {
  /** The containers that were passed, the root first. */
  readonly containers: readonly JsonContainer[];
  /** The item that `path` names, when it is there. */
  readonly item?: JsonItem;
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
  return item === undefined ? { containers, left: [] } : { containers, item, left: [] };
}

export function itemAt(container: JsonContainer, step: string | number | undefined): JsonItem | undefined {
  return typeof step === "number" ? container.items[step] : container.items.find(({ key }) => key === step);
}

function containerFor(node: JsonNode, path: JsonPath, depth: number): JsonContainer {
  const wanted = typeof path[depth] === "number" ? "array" : "object";
  if (node.kind === wanted) return node;
  const at = path.slice(0, depth).join(".") || "the file";
  const found = node.kind === "leaf" ? JSON.stringify(node.value) : `an ${node.kind}`;
  throw new Problem(
    "settings/not-editable",
    `${at} should hold an ${wanted}, but holds ${found}. Fix it by hand first.`,
    {
      about: { path },
    },
  );
}

/** A copy of a value with another one at a path; undefined takes it out. Containers that are missing are made. */
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
