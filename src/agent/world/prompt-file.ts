import { dirname } from "node:path";
import { type FrontmatterFault, readFrontmatter } from "../../engine/internal.ts";
import { ignoringErrors } from "../../files/internal.ts";
import { resolveInside } from "../../permissions/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import { openNoFollow } from "../tools/files/file-access.ts";

/** A text for the model, or why it cannot be used. */
export type PromptFile = { readonly text: string; readonly real: string } | { readonly fault: string };

/** The folders that a file may be in after links are followed. */
export type ReadRoots = readonly string[] | "anywhere";

const maxBytes = 2 ** 20;

/**
 * Reads a file that a checkout or a user keeps for the model. It must really be in one of the roots: a checkout decides what its
 * links point to, and must not include other files. Contract: undefined when it is missing; a device, a pipe or a huge file
 * is a fault at once, never a wait.
 */
export async function readPromptFile(path: string, roots: ReadRoots): Promise<PromptFile | undefined> {
  try {
    const real = resolveInside(path, roots === "anywhere" ? ["/"] : roots, { cwd: dirname(path) });
    const file = await ignoringErrors(["ENOENT", "ENOTDIR"], openNoFollow(real));
    if (file === undefined) return undefined;
    try {
      const found = await file.stat();
      if (!found.isFile()) return { fault: "it is not a regular file" };
      if (found.size > maxBytes) return { fault: `it has more than ${maxBytes} bytes` };
      const bytes = await file.readFile();
      return bytes.includes(0) ? { fault: "it is not a text file" } : { text: bytes.toString("utf8"), real };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { fault: error instanceof Problem ? error.message : String(error) };
  }
}

/** A Markdown file and its frontmatter. */
export interface PromptFrontmatter {
  /** The plain values, and lists joined by commas. Nested values are left out. */
  readonly fields: Readonly<Record<string, string>>;
  /** All keys, also those of nested values. */
  readonly keys: readonly string[];
  readonly body: string;
  readonly fault?: FrontmatterFault;
}

/** Contract: never rejects. */
export async function splitFrontmatter(text: string): Promise<PromptFrontmatter> {
  const { fields, ...rest } = await readFrontmatter(text);
  const texts = Object.entries(fields).flatMap(([key, value]): [string, string][] => {
    const plain = Array.isArray(value) ? joined(value) : textOf(value);
    return plain === undefined ? [] : [[key, plain]];
  });
  return { ...rest, fields: Object.fromEntries(texts), keys: Object.keys(fields) };
}

/** Undefined for a list with nested values: a part of a limit must not count as the limit. */
function joined(list: readonly unknown[]): string | undefined {
  const texts = list.map(textOf);
  return texts.includes(undefined) ? undefined : texts.join(", ");
}

function textOf(value: unknown): string | undefined {
  if (value === null) return "";
  return ["string", "number", "boolean"].includes(typeof value) ? String(value).trim() : undefined;
}
