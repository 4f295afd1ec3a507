import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { isObject, parseJson, parseObject } from "../../protocol/internal.ts";
import { unpack } from "../read/gzip-source.ts";

/** A small JSON object that another program writes; undefined when it is missing, incomplete or not an object. */
export async function readJsonObject(path: string): Promise<Record<string, unknown> | undefined> {
  let value = await readJson(path);
  if (value === "incomplete") {
    // A writer may be at work: a moment later the file is complete.
    await pause(5);
    value = await readJson(path);
  }
  return isObject(value) ? value : undefined;
}

async function readJson(path: string): Promise<unknown> {
  const bytes = await readIfExists(path);
  if (bytes === undefined) return undefined;
  const value = parseJson(bytes.toString("utf8"));
  return value === undefined ? "incomplete" : value;
}

/** The fields of an object or array; none for any other value. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** The `.meta.json` that the client writes next to a subagent's transcript. */
export interface SubagentMeta {
  readonly agentType?: string;
  readonly description?: string;
  readonly toolUseId?: string;
  readonly spawnDepth?: number;
  readonly parentAgentId?: string;
  readonly model?: string;
  readonly name?: string;
  readonly taskKind?: string;
  readonly teamName?: string;
  readonly color?: string;
  readonly permissionMode?: string;
}

const textFields = [
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

function metaOf(value: Record<string, unknown>): SubagentMeta {
  const meta: Record<string, unknown> = {};
  for (const name of textFields) if (typeof value[name] === "string") meta[name] = value[name];
  if (typeof value["spawnDepth"] === "number") meta["spawnDepth"] = value["spawnDepth"];
  return meta;
}

/** A file that another program writes; undefined when it cannot be read. */
export async function readIfExists(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined; // missing or not readable
  }
}
