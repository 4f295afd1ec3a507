import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { isObject, parseJson, parseObject } from "../../protocol/internal.ts";

/** A small JSON object from a folder that other programs write. Gone or half written is not an error: then it is undefined. */
export async function readJsonObject(path: string): Promise<Record<string, unknown> | undefined> {
  const first = await attempt(path);
  if (first !== "half") return first;
  // A writer was in the middle of it; a moment later it is whole, or it is not ours to understand.
  await pause(5);
  const second = await attempt(path);
  return second === "half" ? undefined : second;
}

/** The fields of what may be an object; none of what is not. */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

async function attempt(path: string): Promise<Record<string, unknown> | "half" | undefined> {
  const bytes = await readIfThere(path);
  const value = bytes === undefined ? null : parseJson(bytes.toString("utf8"));
  if (value === undefined) return "half";
  return isObject(value) ? value : undefined;
}

/** What the client noted beside a subagent's transcript. */
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

const texts = [
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

const largest = 256 * 1024;

/** The note next to a subagent's transcript, compressed in an archive. A note that cannot be read never hides the subagent. */
export function readSubagentMeta(path: string): SubagentMeta | undefined {
  for (const file of [path, `${path}.gz`]) {
    try {
      const stat = statSync(file, { throwIfNoEntry: false });
      if (stat === undefined || !stat.isFile() || stat.size > largest) continue;
      const bytes = file.endsWith(".gz") ? unpacked(readFileSync(file)) : readFileSync(file);
      const value = parseObject(bytes.toString("utf8"));
      return value === undefined ? undefined : metaOf(value);
    } catch {
      // Damaged, or not readable by us: the transcript is what counts.
    }
  }
  return undefined;
}

/** Few users have archives: zlib is loaded only for them. */
function unpacked(bytes: Buffer): Buffer {
  const { gunzipSync } = process.getBuiltinModule("node:zlib");
  return gunzipSync(bytes);
}

function metaOf(value: Record<string, unknown>): SubagentMeta {
  const meta: Record<string, unknown> = {};
  for (const name of texts) if (typeof value[name] === "string") meta[name] = value[name];
  if (typeof value["spawnDepth"] === "number") meta["spawnDepth"] = value["spawnDepth"];
  return meta;
}

/** A file that other programs write; undefined when it cannot be read. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined; // missing or not readable
  }
}
