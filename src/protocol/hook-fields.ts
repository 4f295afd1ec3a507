import type { FieldsOf } from "./field.ts";
import type { AgentHook, CommandHook, FileHook, HookGroup, HttpHook, McpToolHook, PromptHook } from "./hook.ts";

const text = { is: "text" } as const;
const optionalText = { is: "text", optional: true } as const;
const optionalFlag = { is: "flag", optional: true } as const;
const optionalTexts = { is: "list", of: text, optional: true } as const;
const onFailure = { is: "text", of: ["continue", "block"], optional: true } as const;

const anyHook = {
  timeout: { is: "number", above: 0, optional: true },
  statusMessage: optionalText,
  onFailure,
  failClosed: optionalFlag,
  if: optionalText,
  once: optionalFlag,
} as const;

/** What an entry of each type that can stand in a file may hold; further keys are kept and ignored. */
export const hookFields: HookFields = {
  command: {
    type: { is: "text", of: ["command"] },
    command: text,
    args: optionalTexts,
    shell: { is: "text", of: ["bash", "powershell"], optional: true },
    async: optionalFlag,
    asyncRewake: optionalFlag,
    interactive: optionalFlag,
    inputFile: optionalFlag,
    ...anyHook,
  },
  http: {
    type: { is: "text", of: ["http"] },
    url: text,
    headers: { is: "object", values: text, optional: true },
    allowedEnvVars: optionalTexts,
    ...anyHook,
  },
  prompt: {
    type: { is: "text", of: ["prompt"] },
    prompt: text,
    model: optionalText,
    continueOnBlock: optionalFlag,
    ...anyHook,
  },
  agent: {
    type: { is: "text", of: ["agent"] },
    prompt: text,
    model: optionalText,
    tools: optionalTexts,
    ...anyHook,
  },
  mcp_tool: {
    type: { is: "text", of: ["mcp_tool"] },
    server: text,
    tool: text,
    input: { is: "object", optional: true },
    ...anyHook,
  },
};

/** One entry of an event's list; what its hooks hold is in `hookFields`. */
export const groupFields: FieldsOf<HookGroup> = {
  matcher: optionalText,
  hooks: { is: "list", of: { is: "object" } },
  sequential: optionalFlag,
  onFailure,
  failClosed: optionalFlag,
};

export interface HookFields {
  readonly command: FieldsOf<CommandHook>;
  readonly http: FieldsOf<HttpHook>;
  readonly prompt: FieldsOf<PromptHook>;
  readonly agent: FieldsOf<AgentHook>;
  readonly mcp_tool: FieldsOf<McpToolHook>;
}

/** The types that can stand in a file. */
export const fileHookTypes: readonly FileHook["type"][] = Object.keys(hookFields) as FileHook["type"][];
