import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { ensureFolder, type Fs, replaceFile, sha256, unless } from "../../files/internal.ts";
import { isLinked } from "../model/entry-graph.ts";
import type { SessionModel } from "../model/session-model.ts";
import type { Agent } from "../model/subagents.ts";
import { isSafeId } from "../session-id.ts";
import { withField } from "../write/edit-line.ts";

/** The layout that every step leads to: each agent in `<session>/subagents/`, with its meta file. */
export const currentLayout = "subagents";

/** One way from an older layout of a session to the present one. */
export interface MigrationStep {
  readonly from: string;
  readonly to: string;
  /** What it would do to this session, a sentence for each thing; nothing when the session is not of that layout. */
  describe(model: SessionModel): string[];
  /** Contract: changes files of the given session only, which is a copy. Done twice, it does no more than once. */
  apply(model: SessionModel, fs: Fs): Promise<void>;
}

/** Agents whose lines stand inside the main transcript. */
const inlineAgents: MigrationStep = {
  from: "inline-sidechains",
  to: currentLayout,
  describe: (model) =>
    inline(model).map((agent) => `agent ${agent.id}, ${agent.thread.entries.length} lines, gets a file of its own`),
  async apply(model, fs) {
    const agents = inline(model);
    const folder = join(model.place.folder, model.id, "subagents");
    if (agents.length > 0) await ensureFolder(folder, fs);
    for (const agent of agents) {
      const stem = join(folder, `agent-${fileId(agent.id)}`);
      await replaceFile(`${stem}.jsonl`, linesOf(agent), { fs });
      await replaceFile(`${stem}.meta.json`, JSON.stringify(metaOf(agent)), { fs });
    }
    await replaceFile(model.place.file, await withoutLines(model, agents), { fs });
  },
};

function inline({ agents }: SessionModel): Agent[] {
  return agents.filter((agent) => agent.inline);
}

/** An id that is none is told by its hash, as the client's own ids look. */
function fileId(id: string): string {
  return isSafeId(id) ? id : `a${sha256(id).slice(0, 16)}`;
}

function linesOf({ thread }: Agent): Buffer {
  const known = new Set(thread.graph.nodes.map(({ uuid }) => uuid));
  const lines = thread.entries.map((entry) => {
    const line = Buffer.from(entry.raw());
    // An agent's first line may hang on the call in the main transcript; in a file of its own it is the beginning.
    const outside = isLinked(entry) && entry.parentUuid !== null && !known.has(entry.parentUuid);
    return Buffer.concat([outside ? withField(line, "parentUuid", null) : line, Buffer.from("\n")]);
  });
  return Buffer.concat(lines);
}

function metaOf({ toolCall, depth, meta }: Agent): Record<string, unknown> {
  const input =
    typeof toolCall?.input === "object" && toolCall.input !== null ? (toolCall.input as Record<string, unknown>) : {};
  const text = (name: string) => (typeof input[name] === "string" ? input[name] : undefined);
  return {
    agentType: meta?.agentType ?? text("subagent_type"),
    description: meta?.description ?? text("description"),
    toolUseId: meta?.toolUseId ?? toolCall?.id,
    spawnDepth: meta?.spawnDepth ?? depth,
  };
}

/** The main transcript without the lines that moved; every other byte stays. */
async function withoutLines({ place }: SessionModel, agents: readonly Agent[]): Promise<Buffer> {
  const bytes = await readFile(place.file);
  const moved = agents.flatMap(({ thread }) => thread.entries.map(({ offset, length }) => ({ offset, length })));
  const parts: Buffer[] = [];
  let done = 0;
  for (const { offset, length } of moved.sort((a, b) => a.offset - b.offset)) {
    const stop = bytes.indexOf(0x0a, offset + length);
    parts.push(bytes.subarray(done, offset));
    done = stop < 0 ? bytes.length : stop + 1;
  }
  return Buffer.concat([...parts, bytes.subarray(done)]);
}

/** Agents whose files lie beside the main transcript. */
const agentsBeside: MigrationStep = {
  from: "agents-beside",
  to: currentLayout,
  describe: (model) => beside(model).map(({ id }) => `agent ${id} moves into ${model.id}/subagents`),
  async apply(model, fs) {
    const folder = join(model.place.folder, model.id, "subagents");
    for (const { file } of beside(model)) {
      const bytes = await readFile(file);
      const target = join(folder, basename(file));
      await ensureFolder(folder, fs);
      const there = await unless(["ENOENT"], readFile(target));
      // Another file of that name is another agent's: then this one stays where it is.
      if (there !== undefined && !there.equals(bytes)) continue;
      await replaceFile(target, bytes, { fs });
      await fs.unlink(file);
    }
  },
};

function beside({ files }: SessionModel): { id: string; file: string }[] {
  return files.agents.filter((agent) => agent.beside === true);
}

/** In the order in which they are taken. */
export const migrationSteps: readonly MigrationStep[] = [inlineAgents, agentsBeside];
