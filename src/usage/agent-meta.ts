import { readFileSync } from "node:fs";
import { defined, parseObject } from "../protocol/internal.ts";
import { textAt } from "./calls/read-usage.ts";

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
  const text = textOf(path);
  const value = text === undefined ? undefined : parseObject(text);
  if (value === undefined) return undefined;
  return defined({
    agentType: textAt(value, "agentType"),
    description: textAt(value, "description"),
    toolUseId: textAt(value, "toolUseId"),
    parentAgentId: textAt(value, "parentAgentId"),
    depth: typeof value["spawnDepth"] === "number" ? value["spawnDepth"] : undefined,
  });
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
