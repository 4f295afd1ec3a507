import { type ContentBlock, efforts, knownModel } from "../../models/internal.ts";
import { readMode } from "../../permissions/internal.ts";
import { defined, fieldOf, isStringList } from "../../protocol/internal.ts";
import type { AgentControl, HookCallback, SessionSetup } from "../agent-ports.ts";

type Fields = Readonly<Record<string, unknown>>;

export type Ask = (subtype: string, fields: Fields, signal: AbortSignal) => Promise<unknown>;

/** Handles one control request of the embedding program. Contract: throws when it cannot be fulfilled. */
export async function handleControlRequest(control: AgentControl, request: Fields, ask: Ask): Promise<unknown> {
  switch (request["subtype"]) {
    case "initialize":
      control.configure(readInitialize(request));
      registerHooks(control, (request["hooks"] ?? {}) as Fields, ask);
      return initializeResponse(control);
    case "interrupt":
      control.interrupt();
      return undefined;
    case "set_model": {
      const { refused } = await control.setModel(String(request["model"]));
      if (refused !== undefined) throw new Error(refused);
      return { model: (await control.catalog()).model };
    }
    case "set_permission_mode": {
      const mode = readMode(request["mode"]);
      if (mode === undefined) throw new Error(`"${String(request["mode"])}" is not a permission mode`);
      control.setPermissionMode(mode);
      return { mode };
    }
    case "register_repo_root": {
      const path = String(request["path"] ?? request["directory"]);
      return { directory: await control.addDirectory(path, "register_repo_root") };
    }
    case "stop_hook":
      return stopHook(control, request);
    default:
      throw new Error(`Unsupported control request subtype: ${String(request["subtype"])}`);
  }
}

/** Adds, lists or removes Stop hooks of the session. */
function stopHook({ stopHooks }: AgentControl, { action, command, id }: Fields): unknown {
  if (action === "add") return { id: stopHooks.add({ type: "command", command: String(command) }) };
  if (action === "remove") stopHooks.remove(String(id));
  return { hooks: stopHooks.list().map((hook) => ({ id: hook.id, command: hook.name })) };
}

/**
 * Registers the callbacks of the embedding program: each run sends a request, which is answered with the JSON of a hook. The `timeout`
 * of a group is in seconds. Contract: registers all or none; throws a `Problem` for one that is not valid.
 */
function registerHooks(control: AgentControl, hooks: Fields, ask: Ask): void {
  const registered: (() => void)[] = [];
  try {
    for (const [event, groups] of Object.entries(hooks))
      for (const group of Array.isArray(groups) ? (groups as Fields[]) : [])
        for (const id of (group["hookCallbackIds"] ?? []) as unknown[])
          registered.push(registerHook(control, event, group, id, ask));
  } catch (error) {
    for (const remove of registered) remove();
    throw error;
  }
}

function registerHook(control: AgentControl, event: string, group: Fields, callback_id: unknown, ask: Ask): () => void {
  const { matcher, timeout } = group;
  const callback: HookCallback = (input, toolUseId, signal) =>
    ask("hook_callback", { callback_id, input, ...defined({ tool_use_id: toolUseId }) }, signal);
  const limits = timeout === undefined || timeout === null ? {} : { timeout: timeout as number };
  return control.on(event, typeof matcher === "string" ? matcher : undefined, callback, limits);
}

/**
 * Reads the setup of an `initialize` request. Contract: a field that is set and that this agent does not support is refused by name,
 * never ignored.
 */
function readInitialize(request: Fields): SessionSetup {
  const isRefused = (name: string) => !supported.has(name) && !displayOnly.has(name) && isSet(request[name]);
  const refused = Object.keys(request).filter(isRefused);
  if (refused.length > 0) throw new Error(`This agent does not support ${refused.join(", ")} in initialize.`);
  const { systemPrompt, appendSystemPrompt, agents } = request;
  return {
    ...(isSet(systemPrompt) ? { systemPrompt: textOf("systemPrompt", systemPrompt) } : {}),
    ...(isSet(appendSystemPrompt) ? { appendSystemPrompt: textOf("appendSystemPrompt", appendSystemPrompt) } : {}),
    ...(isSet(agents) ? { subagents: agents as Fields } : {}),
  };
}

const supported: ReadonlySet<string> = new Set(["subtype", "hooks", "systemPrompt", "appendSystemPrompt", "agents"]);

/** Fields that only affect what the embedding program displays; they are ignored. */
const displayOnly: ReadonlySet<string> = new Set([
  ...["title", "promptSuggestions", "agentProgressSummaries", "forwardSubagentText", "supportedDialogKinds"],
  ...["perTaskStopAffordance", "rapidFollowupPreempt", "forwardNestedSubagentToolCalls", "workspaceTrust"],
  ...["excludeDynamicSections", "sdkMcpServerConfigs", "sdkMcpServerManifests"],
]);

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return false;
  return typeof value !== "object" || Object.values(value).some(isSet);
}

function textOf(name: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (isStringList(value)) return value.join("\n\n");
  throw new Error(`${name} must be a string or a list of strings.`);
}

/** The response to `initialize`: the available commands, subagents and models. */
async function initializeResponse(control: AgentControl): Promise<Fields> {
  const { commands, subagents, model } = await control.catalog();
  const effortLevels =
    knownModel(model)?.effort === undefined ? {} : { supportsEffort: true, supportedEffortLevels: [...efforts] };
  return {
    commands: commands.map((command) => ({ ...command, argumentHint: "" })),
    agents: subagents,
    output_style: "default",
    available_output_styles: ["default"],
    models: [{ value: model, displayName: model, description: "The model of this session", ...effortLevels }],
    account: {},
    session_id: control.session.id,
  };
}

/** Whether the content of a message is a list of blocks. The API checks their fields. */
export function isBlocks(content: unknown): content is readonly ContentBlock[] {
  return Array.isArray(content) && content.every((block: unknown) => typeof fieldOf(block, "type") === "string");
}
