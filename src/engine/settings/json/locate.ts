import { Problem } from "../../../protocol/index.ts";
import type { JsonItem, JsonNode } from "./jsonc.ts";

/** Keys and numbers from the root to a value. */
export type JsonPath = readonly (string | number)[];

export type JsonContainer = Extract<JsonNode, { kind: "object" | "array" }>;

/** The way to a value as far as it exists: the deepest container on it, and what of the path is left below that. */
export interface Located {
  /** The containers that were passed, the root first. */
  readonly containers: readonly JsonContainer[];
  /** The item that `path` names, when it is there. */
  readonly item?: JsonItem;
  readonly left: JsonPath;
}

/** Contract: a step through something that is no container, or no object where a key is given, is a `Problem`. */
export function locate(tree: JsonNode, path: JsonPath): Located {
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
    `${at} should hold an ${wanted}, but holds ${found}. Mend it by hand first.`,
    {
      about: { path },
    },
  );
}
