import type { ValuesOf } from "../field.ts";
import type { PermissionUpdate } from "../outcome.ts";
import { mcpServerField } from "./common-fields.ts";
import { type RowFacts, usualOnTool } from "./event-row.ts";

export const permissionRequest = {
  ...usualOnTool,
  name: "PermissionRequest",
  fires: "before the user is asked, or before a call is denied because there is no user to ask",
  fields: {
    tool_name: { is: "text" },
    tool_input: { is: "object" },
    permission_suggestions: { is: "list", of: { is: "object" }, optional: true },
    mcp_server: mcpServerField,
  },
  answers: ["decision"],
  decisions: ["allow", "deny"],
  blockWord: true,
  blocks: "the call is denied without asking",
  onFailure: "guard",
  onStop: "stop",
  onNotOk: "ignore",
  special: { onTool: true, stockDenial: "Permission denied by hook" },
  app: { method: "onPermission", answers: ["approvePermission", "denyPermission"] },
} as const satisfies RowFacts;

/** A field cannot describe the kinds of updates. */
export type PermissionRequestInput = Omit<ValuesOf<typeof permissionRequest.fields>, "permission_suggestions"> & {
  readonly permission_suggestions?: readonly PermissionUpdate[];
};
