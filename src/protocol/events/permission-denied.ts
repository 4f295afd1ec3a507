import { mcpServerField } from "./common-fields.ts";
import { type CatalogRow, usualOnTool } from "./event-row.ts";

const fields = {
  tool_name: { is: "text" },
  tool_input: { is: "object" },
  tool_use_id: { is: "text" },
  reason: { is: "text" },
  mcp_server: mcpServerField,
} as const;

const app = { method: "onPermissionDenied", answers: ["retry"] } as const;

export const permissionDenied: CatalogRow<"PermissionDenied", typeof fields, typeof app> = {
  ...usualOnTool,
  name: "PermissionDenied",
  fires: "the automatic classifier denied a call; not for rules or hooks",
  fields,
  onOther: null,
  answers: ["retry"],
  onNotOk: "ignore",
  app,
};
