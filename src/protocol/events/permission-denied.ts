import { mcpServerField } from "./common-fields.ts";
import { type RowFacts, usualOnTool } from "./event-row.ts";

export const permissionDenied = {
  ...usualOnTool,
  name: "PermissionDenied",
  fires: "the automatic classifier denied a call; not for rules or hooks",
  fields: {
    tool_name: { is: "text" },
    tool_input: { is: "object" },
    tool_use_id: { is: "text" },
    reason: { is: "text" },
    mcp_server: mcpServerField,
  },
  onOther: null,
  answers: ["retry"],
  onNotOk: "ignore",
  app: { method: "onPermissionDenied", answers: ["retry"] },
} as const satisfies RowFacts;
