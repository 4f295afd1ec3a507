/** `mcp__server__tool`, in letters that every API takes. */
export function mcpToolName(server: string, tool: string): string {
  return `mcp__${plain(server)}__${plain(tool)}`.slice(0, longest);
}

/** A server's name as it stands in its tools' names. */
export function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, "_");
}

const longest = 128;
