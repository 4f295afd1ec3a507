import { type ContentBlock, efforts, knownModel } from "../../models/internal.ts";
import type { AgentControl, SessionSetup } from "../session/session-control.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * What an `initialize` request wishes for the session. Contract: a field that is set and that this agent cannot honor is refused by
 * name; nothing is accepted and then ignored.
 */
export function readInitialize(asked: Fields): SessionSetup {
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

/** About what the other end shows or is told; without them it is shown less. */
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
export async function initialized(control: AgentControl): Promise<Fields> {
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
  return Array.isArray(content) && content.every((block: unknown) => typeof typeOf(block) === "string");
}

function typeOf(block: unknown): unknown {
  return typeof block === "object" && block !== null && "type" in block ? block.type : undefined;
}
