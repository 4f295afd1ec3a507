import { open } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { isObject } from "../../protocol/index.ts";

/** What the client noted beside a subagent's transcript. */
export interface AgentMeta {
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
export async function readMeta(path: string): Promise<AgentMeta | undefined> {
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

function metaOf(value: Record<string, unknown>): AgentMeta {
  const meta: Record<string, unknown> = {};
  for (const name of texts) if (typeof value[name] === "string") meta[name] = value[name];
  if (typeof value["spawnDepth"] === "number") meta["spawnDepth"] = value["spawnDepth"];
  return meta;
}
