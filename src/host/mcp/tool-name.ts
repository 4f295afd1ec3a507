/** `mcp__server__tool`, in letters that every API takes. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${plain(server)}__${plain(tool)}`.slice(0, longest);
}

/** A server's name as it stands in its tools' names. */
export function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

/** Which of the servers (`plain`) a tool's name is read as: the one with the longest name that fits, as rules read it. */
export function serverIn(toolName: string, servers: readonly string[]): string | undefined {
  const fitting = servers.filter((server) => toolName.startsWith(`mcp__${server}__`));
  return fitting.sort((a, b) => b.length - a.length)[0];
}

/** Names of the servers that may have tools, for the rules; one that is not started has no say in how others' tools are read. */
export function serversNamed(states: readonly { readonly name: string; readonly status: string }[]): readonly string[] {
  return states.filter(({ status }) => status === "connected" || status === "failed").map(({ name }) => plain(name));
}

const longest = 128;
