import { type ContentBlock, efforts, knownModel } from "../../models/internal.ts";
import { readMode } from "../../permissions/internal.ts";
import { fieldOf } from "../../protocol/internal.ts";
import type { AgentControl, SessionSetup } from "../session/session-control.ts";

type Fields = Readonly<Record<string, unknown>>;

export type Ask = (subtype: string, fields: Fields, signal: AbortSignal) => Promise<unknown>;

/** Carries out one request of the program at the other end. Contract: throws for what cannot be done. */
export async function handleControlRequest(control: AgentControl, asked: Fields, ask: Ask): Promise<unknown> {
  switch (asked["subtype"]) {
    case "initialize":
      control.configure(readInitialize(asked));
      registerHooks(control, (asked["hooks"] ?? {}) as Fields, ask);
      return initializeResponse(control);
    case "interrupt":
      control.interrupt();
      return undefined;
    case "set_model": {
      const { refused } = await control.setModel(String(asked["model"]));
      if (refused !== undefined) throw new Error(refused);
      return { model: (await control.catalog()).model };
    }
    case "set_permission_mode": {
      const mode = readMode(asked["mode"]);
      if (mode === undefined) throw new Error(`"${String(asked["mode"])}" is not a permission mode`);
      control.setPermissionMode(mode);
      return { mode };
    }
    case "register_repo_root":
      return {
        directory: await control.addDirectory(String(asked["path"] ?? asked["directory"]), "register_repo_root"),
      };
    case "stop_hook":
      return stopHook(control, asked);
    default:
      throw new Error(`Unsupported control request subtype: ${String(asked["subtype"])}`);
  }
}

/** Hooks at run time are the embedding program's to manage: add, list, remove. */
function stopHook({ stopHooks }: AgentControl, { action, command, id }: Fields): unknown {
  if (action === "add") return { id: stopHooks.add({ type: "command", command: String(command) }) };
  if (action === "remove") stopHooks.remove(String(id));
  return { hooks: stopHooks.list().map((hook) => ({ id: hook.id, command: hook.name })) };
}

/**
 * Each callback is a request of ours that the other end answers with the JSON of a hook. One that takes longer than its group's
 * `timeout` (seconds) has failed, as any hook. Contract: all of them or none; what cannot be registered is a `Problem`.
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
  return control.on(
    event,
    typeof matcher === "string" ? matcher : undefined,
    (input, toolUseId, signal) =>
      ask(
        "hook_callback",
        { callback_id, input, ...(toolUseId === undefined ? {} : { tool_use_id: toolUseId }) },
        signal,
      ),
    timeout === undefined || timeout === null ? {} : { timeout: timeout as number },
  );
}

/**
 * What an `initialize` request wishes for the session. Contract: a field that is set and that this agent cannot honor is refused by
 * name; nothing is accepted and then ignored.
 */
function readInitialize(asked: Fields): SessionSetup {
  const refused = Object.keys(asked).filter((name) => !honored.has(name) && !harmless.has(name) && isSet(asked[name]));
  if (refused.length > 0) throw new Error(`This agent does not support ${refused.join(", ")} in initialize.`);
  const { systemPrompt, appendSystemPrompt, agents } = asked;
  return {
    ...(isSet(systemPrompt) ? { systemPrompt: textOf("systemPrompt", systemPrompt) } : {}),
    ...(isSet(appendSystemPrompt) ? { appendSystemPrompt: textOf("appendSystemPrompt", appendSystemPrompt) } : {}),
    ...(isSet(agents) ? { subagents: agents as Fields } : {}),
  };
}

const honored: ReadonlySet<string> = new Set(["subtype", "hooks", "systemPrompt", "appendSystemPrompt", "agents"]);

/** Fields about what the other end displays. Without them it displays less. */
const harmless: ReadonlySet<string> = new Set([
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
  if (Array.isArray(value) && value.every((part) => typeof part === "string")) return value.join("\n\n");
  throw new Error(`${name} must be a text or a list of texts.`);
}

/** The answer to `initialize`: what there is to choose from. */
async function initializeResponse(control: AgentControl): Promise<Fields> {
  const { commands, subagents, model } = await control.catalog();
  const known = knownModel(model);
  return {
    commands: commands.map((command) => ({ ...command, argumentHint: "" })),
    agents: subagents,
    output_style: "default",
    available_output_styles: ["default"],
    models: [
      {
        value: model,
        displayName: model,
        description: "The model of this session",
        ...(known?.effort === undefined ? {} : { supportsEffort: true, supportedEffortLevels: [...efforts] }),
      },
    ],
    account: {},
    session_id: control.session.id,
  };
}

/** Whether a message from outside holds blocks; what is in them is for the API to judge. */
export function isBlocks(content: unknown): content is readonly ContentBlock[] {
  return Array.isArray(content) && content.every((block: unknown) => typeof fieldOf(block, "type") === "string");
}
