import type { FieldsOf } from "./field.ts";
import type { HookOutput, ToolInput, Verdict } from "./hook-output.ts";

/** The type of a hook, as in its field `type`. */
export type HookType = Hook["type"];
/** The hook types that settings files can use. */
export type FileHook = CommandHook | HttpHook | PromptHook | AgentHook | McpToolHook;
/** One hook: from a settings file, or registered in this process. */
export type Hook = FileHook | CallbackHook | FunctionHook;

/** What a failed hook means on an event that guards something: continue, or deny. */
export type FailurePolicy = "continue" | "block";

interface CommonHookFields {
  /** Seconds, as written in settings. */
  readonly timeout?: number;
  readonly statusMessage?: string;
  readonly onFailure?: FailurePolicy;
  /** Alias of `onFailure: "block"`. */
  readonly failClosed?: boolean;
  /** One permission rule; the hook runs only when it holds. */
  readonly if?: string;
  readonly once?: boolean;
}

/** A hook that runs a shell command or a program. */
export interface CommandHook extends CommonHookFields {
  readonly type: "command";
  readonly command: string;
  /** With arguments (even none) the command is started directly, without a shell. */
  readonly args?: readonly string[];
  readonly shell?: "bash" | "powershell";
  readonly async?: boolean;
  readonly asyncRewake?: boolean;
  /** Keeps stdin open after the payload for answers to questions the hook prints. */
  readonly interactive?: boolean;
  readonly inputFile?: boolean;
}

/** A hook that posts the payload to a URL. */
export interface HttpHook extends CommonHookFields {
  readonly type: "http";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowedEnvVars?: readonly string[];
}

/** A hook that asks a model one question. */
export interface PromptHook extends CommonHookFields {
  readonly type: "prompt";
  readonly prompt: string;
  readonly model?: string;
  readonly continueOnBlock?: boolean;
}

/** A hook that runs an agent with tools. */
export interface AgentHook extends CommonHookFields {
  readonly type: "agent";
  readonly prompt: string;
  readonly model?: string;
  /** Names of tools it may use in addition to those that only read. */
  readonly tools?: readonly string[];
}

/** A hook that calls a tool of an MCP server. */
export interface McpToolHook extends CommonHookFields {
  readonly type: "mcp_tool";
  readonly server: string;
  readonly tool: string;
  readonly input?: ToolInput;
}

/** Contract: may answer at once or later; what it throws is a failed run, never an error of the engine. */
export type Callback = (
  payload: Readonly<Record<string, unknown>>,
  toolUseId: string | undefined,
  signal: AbortSignal,
) => HookAnswer | undefined | null | Promise<HookAnswer | undefined | null>;

/** What an in-process hook may return: the JSON a command would print, or a verdict. */
export type HookAnswer = HookOutput | Verdict;

/** A hook that calls a function of this process. */
export interface CallbackHook extends CommonHookFields {
  readonly type: "callback";
  readonly callback: Callback;
  readonly name?: string;
  /** The text of a failure, in place of what was thrown. */
  readonly errorMessage?: string;
  /** Set by the host for hooks that belong to its managed policy. */
  readonly managed?: boolean;
}

/** True lets the agent stop; false makes it continue, with `errorMessage` as the reason. */
export type StopFunction = (messages: readonly unknown[], signal: AbortSignal) => boolean | Promise<boolean>;

/** A Stop hook that decides from the messages of the conversation whether the agent may stop. */
export interface FunctionHook extends CommonHookFields {
  readonly type: "function";
  readonly function: StopFunction;
  readonly name?: string;
  readonly errorMessage: string;
}

/** One entry of an event's list. */
export interface HookGroup {
  readonly matcher?: string;
  readonly hooks: readonly Hook[];
  /** One after another, each seeing the input the one before it left. */
  readonly sequential?: boolean;
  readonly onFailure?: FailurePolicy;
  readonly failClosed?: boolean;
}

const text = { is: "text" } as const;
const optionalText = { is: "text", optional: true } as const;
const optionalFlag = { is: "flag", optional: true } as const;
const optionalTexts = { is: "list", of: text, optional: true } as const;
const onFailure = { is: "text", of: ["continue", "block"], optional: true } as const;

const commonHookFields = {
  timeout: { is: "number", above: 0, optional: true },
  statusMessage: optionalText,
  onFailure,
  failClosed: optionalFlag,
  if: optionalText,
  once: optionalFlag,
} as const;

/** The fields of an entry, by hook type in files; further keys are kept and ignored. */
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
    ...commonHookFields,
  },
  http: {
    type: { is: "text", of: ["http"] },
    url: text,
    headers: { is: "object", values: text, optional: true },
    allowedEnvVars: optionalTexts,
    ...commonHookFields,
  },
  prompt: {
    type: { is: "text", of: ["prompt"] },
    prompt: text,
    model: optionalText,
    continueOnBlock: optionalFlag,
    ...commonHookFields,
  },
  agent: {
    type: { is: "text", of: ["agent"] },
    prompt: text,
    model: optionalText,
    tools: optionalTexts,
    ...commonHookFields,
  },
  mcp_tool: {
    type: { is: "text", of: ["mcp_tool"] },
    server: text,
    tool: text,
    input: { is: "object", optional: true },
    ...commonHookFields,
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

type HookFields = { readonly [Type in FileHook["type"]]: FieldsOf<Extract<FileHook, { type: Type }>> };

/** The hook types that settings files can use. */
export const fileHookTypes: readonly FileHook["type"][] = Object.keys(hookFields) as FileHook["type"][];

/**
 * The hooks file that a command hook is about, as it is written there, when the hook calls an app: `hookline-client FILE`,
 * `hookline run FILE`, or Node with the package's own program. Undefined for every other command.
 */
export function hooksFileOfCommand(words: readonly string[]): string | undefined {
  for (const [index, word] of words.entries()) {
    const rest = restOfCall(baseName(word), words.slice(index + 1));
    const file = rest && fileAmong(rest);
    if (file !== undefined) return file;
  }
  return undefined;
}

function restOfCall(program: string, after: readonly string[]): readonly string[] | undefined {
  if (program === "hookline-client") return after;
  if (program !== "hookline" && program !== "bin.cjs") return undefined;
  return after[0] === "run" ? after.slice(1) : undefined;
}

/** The first word that is neither an option nor an option's value. */
function fileAmong(words: readonly string[]): string | undefined {
  const options = /^--(?:on-failure|event|record)$/;
  return words.find((word, index) => !word.startsWith("-") && !options.test(words[index - 1] ?? ""));
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
