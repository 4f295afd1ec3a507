import { open, readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { isObject } from "../../protocol/internal.ts";

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
  if (bytes === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return "half"; // no JSON, or not yet
  }
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

/** A meta file that is missing, half written or no JSON says nothing: it never hides its agent. */
export async function readSubagentMeta(path: string): Promise<SubagentMeta | undefined> {
  try {
    const bytes = await beginning(path);
    const value: unknown = JSON.parse((path.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8"));
    return isObject(value) ? metaOf(value) : undefined;
  } catch {
    // Whatever is wrong with it, the transcript beside it is what counts.
    return undefined;
  }
}

async function beginning(path: string): Promise<Buffer> {
  const handle = await open(path, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(largest), 0, largest, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function metaOf(value: Record<string, unknown>): SubagentMeta {
  const meta: Record<string, unknown> = {};
  for (const name of texts) if (typeof value[name] === "string") meta[name] = value[name];
  if (typeof value["spawnDepth"] === "number") meta["spawnDepth"] = value["spawnDepth"];
  return meta;
}

/** A file that other programs write. One that is gone since it was listed, or is not ours to read, has nothing to say. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch {
    return undefined; // whatever keeps us from it, it is not this reader's to mend
  }
}
