import { isObject } from "../../protocol/index.ts";
/** What a text is, before anybody asks what it means. */
export type Parsed =
  | { readonly kind: "empty" }
  | { readonly kind: "object"; readonly value: Readonly<Record<string, unknown>> }
  /** `broken`: it begins like an object and is none. */
  | { readonly kind: "text"; readonly text: string; readonly broken: boolean };

/**
 * Output is JSON when its first character after blanks, newlines or a BOM is `{` and all of it parses as one object. Output that was
 * cut is never JSON, even if the part that was kept would parse.
 */
export function parseOutput(output: string, whole: boolean): Parsed {
  const text = output.replace(/^\uFEFF/, "").trim();
  if (text === "") return { kind: "empty" };
  if (!text.startsWith("{")) return { kind: "text", text, broken: false };
  if (!whole) return { kind: "text", text, broken: true };
  const value = tryParse(text);
  return isObject(value) ? { kind: "object", value } : { kind: "text", text, broken: true };
}

/** Undefined when it is no JSON: a value, because broken output is expected here. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
