import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { isObject, parseJson, parseObject } from "../../protocol/internal.ts";
import { unpack } from "../read/gzip-source.ts";

/** A small JSON object that another program writes; undefined when it is missing, incomplete or not an object. */
export async function readJsonObject(path: string): Promise<Record<string, unknown> | undefined> {
  const read = async () => parseJson(await readFile(path, "utf8"));
  try {
    // A writer may be at work: a moment later the file is complete.
    const value = (await read()) ?? (await pause(5).then(read));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // missing or not readable
  }
}

const metaTexts = [
  "agentType",
  "description",
  "toolUseId",
  "parentAgentId",
  "model",
  "name",
  "taskKind",
  "teamName",
  "color",
  "permissionMode",
] as const;

/** The `.meta.json` that Claude Code writes next to a subagent's transcript. */
export interface SubagentMeta extends TextFields<(typeof metaTexts)[number]> {
  readonly spawnDepth?: number;
}

const maxMetaBytes = 256 * 1024;

/** Reads a subagent's `.meta.json`, or its compressed copy in an archive; undefined when neither can be read. */
export function readSubagentMeta(path: string): SubagentMeta | undefined {
  for (const file of [path, `${path}.gz`]) {
    try {
      const stat = statSync(file, { throwIfNoEntry: false });
      if (stat === undefined || !stat.isFile() || stat.size > maxMetaBytes) continue;
      const bytes = file.endsWith(".gz") ? unpack(readFileSync(file)) : readFileSync(file);
      const value = parseObject(bytes.toString("utf8"));
      return value === undefined ? undefined : metaOf(value);
    } catch {
      // Damaged or not readable: the transcript is used without it.
    }
  }
  return undefined;
}

function metaOf(value: Readonly<Record<string, unknown>>): SubagentMeta {
  const { spawnDepth } = value;
  return { ...textFields(value, metaTexts), ...(typeof spawnDepth === "number" ? { spawnDepth } : {}) };
}

type TextFields<Name extends string> = { readonly [Key in Name]?: string };

/** Those of the named fields that are texts. */
export function textFields<Name extends string>(
  object: Readonly<Record<string, unknown>>,
  names: readonly Name[],
): TextFields<Name> {
  const fields: Record<string, unknown> = {};
  for (const name of names) if (typeof object[name] === "string") fields[name] = object[name];
  return fields as TextFields<Name>;
}
