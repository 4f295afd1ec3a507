import { readFileSync } from "node:fs";

/** What a client wrote beside an agent's transcript. */
export interface AgentMeta {
  readonly agentType?: string;
  readonly description?: string;
  readonly toolUseId?: string;
  readonly parentAgentId?: string;
  readonly depth?: number;
}

/** The note beside an agent's transcript. Missing or unreadable, it never hides the agent. */
export function readMeta(path: string): AgentMeta | undefined {
  const value = parse(textOf(path));
  if (typeof value !== "object" || value === null) return undefined;
  const { agentType, description, toolUseId, parentAgentId, spawnDepth } = value as Record<string, unknown>;
  return {
    ...(typeof agentType === "string" ? { agentType } : {}),
    ...(typeof description === "string" ? { description } : {}),
    ...(typeof toolUseId === "string" ? { toolUseId } : {}),
    ...(typeof parentAgentId === "string" ? { parentAgentId } : {}),
    ...(typeof spawnDepth === "number" ? { depth: spawnDepth } : {}),
  };
}

function textOf(path: string): string | undefined {
  for (const name of [path, `${path}.gz`]) {
    try {
      const bytes = readFileSync(name);
      return (name.endsWith(".gz") ? unzipped(bytes) : bytes).toString("utf8");
    } catch {
      // Not there under this name, or not readable: the agent's own lines say the rest.
    }
  }
  return undefined;
}

/** Few have archives: what unpacks them is loaded for those alone. */
function unzipped(bytes: Buffer): Buffer {
  const { gunzipSync } = process.getBuiltinModule("node:zlib");
  return gunzipSync(bytes);
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    // Half written: it will be whole the next time.
    return undefined;
  }
}
