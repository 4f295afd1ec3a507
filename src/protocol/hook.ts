import type { ValuesOf } from "./field.ts";
import type { HookOutput, Verdict } from "./hook-output.ts";

/** The type of a hook, as in its field `type`. */
export type HookType = Hook["type"];
/** The hook types that settings files can use. */
export type FileHook = CommandHook | HttpHook | PromptHook | AgentHook | McpToolHook;
/** One hook: from a settings file, or registered in this process. */
export type Hook = FileHook | CallbackHook | FunctionHook;

/** What a failed hook means on an event that guards something: continue, or deny. */
export type FailurePolicy = "continue" | "block";

const text = { is: "text" } as const;
const optionalText = { is: "text", optional: true } as const;
const optionalFlag = { is: "flag", optional: true } as const;
const optionalTexts = { is: "list", of: text, optional: true } as const;
const onFailure = { is: "text", of: ["continue", "block"], optional: true } as const;

const commonHookFields = {
  /** Seconds, as written in settings. */
  timeout: { is: "number", above: 0, optional: true },
  /** What a host shows while the hook runs. */
  statusMessage: optionalText,
  /** What a failure means. Default: `continue`. */
  onFailure,
  /** Alias of `onFailure: "block"`. */
  failClosed: optionalFlag,
  /** One permission rule; the hook runs only when it holds. */
  if: optionalText,
  /** Runs once per session; in skills and session hooks. */
  once: optionalFlag,
} as const;

/** The fields of an entry, by hook type in files; further keys are kept and ignored. */
export const hookFields = {
  command: {
    type: { is: "text", of: ["command"] },
    /** A shell command, or a program. */
    command: text,
    /** With arguments (even none) the command is started directly, without a shell. */
    args: optionalTexts,
    /** `powershell`, or `/bin/sh`. */
    shell: { is: "text", of: ["bash", "powershell"], optional: true },
    /** The agent does not wait for it. */
    async: optionalFlag,
    /** The same, and exit 2 wakes the agent. */
    asyncRewake: optionalFlag,
    /** Keeps stdin open after the payload for answers to questions the hook prints. */
    interactive: optionalFlag,
    /** Also writes the payload to `HOOK_INPUT_FILE`. */
    inputFile: optionalFlag,
    ...commonHookFields,
  },
  http: {
    type: { is: "text", of: ["http"] },
    /** Where the payload is posted. */
    url: text,
    /** Variables in values are filled in. */
    headers: { is: "object", values: text, optional: true },
    /** The only variables that are filled in. */
    allowedEnvVars: optionalTexts,
    ...commonHookFields,
  },
  prompt: {
    type: { is: "text", of: ["prompt"] },
    /** The question, with `$ARGUMENTS` for the payload. */
    prompt: text,
    /** Default: a small, fast one. */
    model: optionalText,
    /** The reason goes to the model instead of ending the run. */
    continueOnBlock: optionalFlag,
    ...commonHookFields,
  },
  agent: {
    type: { is: "text", of: ["agent"] },
    /** The question, with `$ARGUMENTS` for the payload. */
    prompt: text,
    /** Default: a small, fast one. */
    model: optionalText,
    /** Names of tools it may use in addition to those that only read. */
    tools: optionalTexts,
    ...commonHookFields,
  },
  mcp_tool: {
    type: { is: "text", of: ["mcp_tool"] },
    /** The name of the server. */
    server: text,
    /** The name of its tool. */
    tool: text,
    /** The arguments; `${field}` is filled in. */
    input: { is: "object", optional: true },
    ...commonHookFields,
  },
} as const;

/** The fields of hooks that a program registers. Functions have no field type, so the engine checks them itself. */
export const inProcessFields = {
  callback: {
    type: { is: "text", of: ["callback"] },
    callback: { is: "anything" },
    /** How users recognize it. */
    name: optionalText,
    /** The text of a failure, in place of what was thrown. */
    errorMessage: optionalText,
    /** Set by the host for hooks that belong to its managed policy. */
    managed: optionalFlag,
    ...commonHookFields,
  },
  function: {
    type: { is: "text", of: ["function"] },
    function: { is: "anything" },
    /** How users recognize it. */
    name: optionalText,
    /** The reason for the agent when the function returns false. */
    errorMessage: text,
    ...commonHookFields,
  },
} as const;

/** A hook that runs a shell command or a program. */
export interface CommandHook extends ValuesOf<typeof hookFields.command> {}
/** A hook that posts the payload to a URL. */
export interface HttpHook extends ValuesOf<typeof hookFields.http> {}
/** A hook that asks a model one question. */
export interface PromptHook extends ValuesOf<typeof hookFields.prompt> {}
/** A hook that runs an agent with tools. */
export interface AgentHook extends ValuesOf<typeof hookFields.agent> {}
/** A hook that calls a tool of an MCP server. */
export interface McpToolHook extends ValuesOf<typeof hookFields.mcp_tool> {}

/** Contract: may answer at once or later; what it throws is a failed run, never an error of the engine. */
export type Callback = (
  payload: Readonly<Record<string, unknown>>,
  toolUseId: string | undefined,
  signal: AbortSignal,
) => HookAnswer | undefined | null | Promise<HookAnswer | undefined | null>;

/** What an in-process hook may return: the JSON a command would print, or a verdict. */
export type HookAnswer = HookOutput | Verdict;

/** A hook that calls a function of this process. */
export interface CallbackHook extends ValuesOf<typeof inProcessFields.callback> {
  /** Called with each payload. */
  readonly callback: Callback;
}

/** True lets the agent stop; false makes it continue, with `errorMessage` as the reason. */
export type StopFunction = (messages: readonly unknown[], signal: AbortSignal) => boolean | Promise<boolean>;

/** A Stop hook that decides from the messages of the conversation whether the agent may stop. */
export interface FunctionHook extends ValuesOf<typeof inProcessFields.function> {
  /** Returns false to send the agent back to work. */
  readonly function: StopFunction;
}

/** One entry of an event's list; what its hooks hold is in `hookFields`. */
export const groupFields = {
  /** The tools, or other values of the event, that it is for. */
  matcher: optionalText,
  hooks: { is: "list", of: { is: "object" } },
  /** One after another, each seeing the input the one before it left. */
  sequential: optionalFlag,
  /** The failure mode of its hooks. */
  onFailure,
  /** Alias of `onFailure: "block"`. */
  failClosed: optionalFlag,
} as const;

/** One entry of an event's list. */
export interface HookGroup extends Omit<ValuesOf<typeof groupFields>, "hooks"> {
  /** The hooks of this matcher. */
  readonly hooks: readonly Hook[];
}

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
