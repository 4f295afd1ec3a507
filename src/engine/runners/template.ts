import type { ToolInput, Warning } from "../../protocol/index.ts";

/**
 * An input with `${path.to.field}` in its texts replaced from the payload. A text that is one template and nothing else takes the
 * value with its type; a path that leads nowhere is empty, with a warning.
 */
export function fillTemplates(
  input: ToolInput,
  payload: Readonly<Record<string, unknown>>,
): { readonly input: ToolInput; readonly warnings: readonly Warning[] } {
  const missing = new Set<string>();
  const filled = fill(input, 0, (path) => {
    const value = valueAt(payload, path);
    if (value === undefined) missing.add(path);
    return value;
  });
  const warnings = [...missing].map(
    (path): Warning => ({
      code: "template-missing",
      message: `\${${path}} in the hook's input names a field that the payload lacks; it was left empty.`,
      place: path,
    }),
  );
  return { input: filled as ToolInput, warnings };
}

type Find = (path: string) => unknown;

const template = /\$\{([^{}]+)\}/g;
const onlyTemplate = /^\$\{([^{}]+)\}$/;
/** Settings nested deeper than any tool's input are passed on as they are. */
const mostDepth = 100;

function fill(value: unknown, depth: number, find: Find): unknown {
  if (typeof value === "string") return fillText(value, find);
  if (typeof value !== "object" || value === null || depth === mostDepth) return value;
  if (Array.isArray(value)) return value.map((item) => fill(item, depth + 1, find));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fill(inner, depth + 1, find)]));
}

function fillText(text: string, find: Find): unknown {
  const path = onlyTemplate.exec(text)?.[1];
  if (path !== undefined) {
    const value = find(path.trim());
    return value === undefined ? "" : value;
  }
  return text.replace(template, (_, inner: string) => asText(find(inner.trim())));
}

function asText(value: unknown): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Own fields and list places only: a path never leads to what an object inherits. */
function valueAt(payload: unknown, path: string): unknown {
  let value = payload;
  for (const key of path.split(".")) {
    if (typeof value !== "object" || value === null) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(key)) return undefined;
    if (!Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
