import type { AgentOptions } from "./options.ts";
import type { Tool } from "./tools/tool.ts";

type Wishes = Pick<AgentOptions, "tools" | "disallowedTools">;

/** The tools that are offered at all: `tools` chooses among the host's own, and what is denied as a whole is not offered. */
export function offeredTools(wishes: Wishes, own: readonly Tool[], ofServers: readonly Tool[]): readonly Tool[] {
  const wanted = wishes.tools?.map(ownName);
  const denied = new Set((wishes.disallowedTools ?? []).map(ownName));
  const chosen = wanted === undefined ? own : own.filter(({ name }) => wanted.includes(name));
  return [...chosen, ...ofServers].filter(({ name }) => !denied.has(name));
}

/** Tools that were asked for by name and do not exist here. */
export function unknownTools({ tools = [] }: Wishes, own: readonly Tool[]): readonly string[] {
  return tools.filter((name) => !own.some((tool) => tool.name === ownName(name)));
}

/** The client lists the tool that starts agents under its older name. */
function ownName(name: string): string {
  return name === "Task" ? "Agent" : name;
}
