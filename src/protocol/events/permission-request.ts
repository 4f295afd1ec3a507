import type { ValuesOf } from "../field.ts";
import type { PermissionUpdate } from "../outcome.ts";
import { mcpServerField } from "./common-fields.ts";
import { type CatalogRow, usualOnTool } from "./event-row.ts";

const fields = {
  tool_name: { is: "text" },
  tool_input: { is: "object" },
  permission_suggestions: { is: "list", of: { is: "object" }, optional: true },
  mcp_server: mcpServerField,
} as const;

/** A field cannot describe the kinds of updates. */
export type PermissionRequestInput = Omit<ValuesOf<typeof fields>, "permission_suggestions"> & {
  readonly permission_suggestions?: readonly PermissionUpdate[];
};

const app = { method: "onPermission", answers: ["approvePermission", "denyPermission"] } as const;

export const permissionRequest: CatalogRow<"PermissionRequest", typeof fields, typeof app> = {
  ...usualOnTool,
  name: "PermissionRequest",
  fires: "before the user is asked, or before a call is denied because there is no user to ask",
  fields,
  answers: ["decision"],
  decisions: ["allow", "deny"],
  blockWord: true,
  blocks: "the call is denied without asking",
  onFailure: "guard",
  onStop: "stop",
  onNotOk: "ignore",
  special: { onTool: true, stockDenial: "Permission denied by hook" },
  app,
};
