import { join } from "node:path";
import { look } from "./list-folder.ts";
import type { SessionPlace } from "./session-files.ts";

/** How many agents a session has, by the names in its own folder alone: a list has no time for more. */
export async function countAgents({ root, folder, id }: SessionPlace): Promise<number> {
  const own = join(folder, id, "subagents");
  const direct = await look(root.path, own);
  let count = direct.filter(isAgent).length;
  if (!direct.some(({ name }) => name === "workflows")) return count;
  for (const run of await look(root.path, join(own, "workflows"))) {
    if (run.folder) count += (await look(root.path, run.path)).filter(isAgent).length;
  }
  return count;
}

function isAgent({ name, folder }: { name: string; folder: boolean }): boolean {
  return !folder && /^agent-.+\.jsonl(?:\.gz)?$/.test(name);
}
