import type { ToolInput } from "../hook-output.ts";
import { type McpServerRef, mcpServerField } from "./common-fields.ts";
import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface PermissionDeniedInput {
  readonly tool_name: string;
  readonly tool_input: ToolInput;
  readonly tool_use_id: string;
  readonly reason: string;
  readonly mcp_server?: McpServerRef;
}

const app = { method: "onPermissionDenied", answers: ["retry"] } as const;

export const permissionDenied: CatalogRow<"PermissionDenied", PermissionDeniedInput, typeof app> = {
  ...usual,
  name: "PermissionDenied",
  phase: "tool",
  since: "2.1.197",
  fires: "the automatic classifier denied a call; not for rules or hooks",
  carries: ["permission_mode", "effort", "agent"],
  fields: {
    tool_name: { is: "text" },
    tool_input: { is: "object" },
    tool_use_id: { is: "text" },
    reason: { is: "text" },
    mcp_server: mcpServerField,
  },
  matchesOn: { field: "tool_name" },
  onOther: null,
  answers: ["retry"],
  types: hookTypes.all,
  onNotOk: "ignore",
  special: { onTool: true },
  app,
};
