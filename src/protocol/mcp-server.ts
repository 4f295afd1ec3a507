import type { FieldOf } from "./field.ts";

/** The MCP server behind a tool, on the single-tool events of newer clients. */
export interface McpServerRef {
  readonly name: string;
  readonly source: string;
}

export const mcpServerField: FieldOf<McpServerRef> & { readonly optional: true } = {
  is: "object",
  fields: { name: { is: "text" }, source: { is: "text" } },
  optional: true,
  newer: true,
};
