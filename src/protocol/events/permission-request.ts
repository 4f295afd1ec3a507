import type { ToolInput } from "../hook-output.ts";
import type { PermissionUpdate } from "../outcome.ts";
import { type McpServerRef, mcpServerField } from "./common-fields.ts";
import { type CatalogRow, hookTypes, usual } from "./event-row.ts";

export interface PermissionRequestInput {
  readonly tool_name: string;
  readonly tool_input: ToolInput;
  readonly permission_suggestions?: readonly PermissionUpdate[];
  readonly mcp_server?: McpServerRef;
}

const app = { method: "onPermission", answers: ["approvePermission", "denyPermission"] } as const;

export const permissionRequest: CatalogRow<"PermissionRequest", PermissionRequestInput, typeof app> = {
  ...usual,
  name: "PermissionRequest",
  phase: "tool",
  since: "2.1.197",
  fires: "before the user is asked, or before a call is denied because there is no user to ask",
  carries: ["permission_mode", "effort", "agent"],
  fields: {
    tool_name: { is: "text" },
    tool_input: { is: "object" },
    permission_suggestions: { is: "list", of: { is: "object" }, optional: true },
    mcp_server: mcpServerField,
  },
  matchesOn: { field: "tool_name" },
  answers: ["decision"],
  decisions: ["allow", "deny"],
  blockWord: true,
  types: hookTypes.all,
  blocks: "the call is denied without asking",
  onFailure: "guard",
  onStop: "stop",
  onNotOk: "ignore",
  special: { onTool: true, stockDenial: "Permission denied by hook" },
  app,
};
