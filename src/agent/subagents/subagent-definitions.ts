import { dirname, join } from "node:path";
import { realPathOrNone } from "../../engine/internal.ts";
import { checkNamed, defined, fitsWildcard, mustBe } from "../../protocol/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { Tool } from "../tools/tool.ts";
import { type SubagentDefinition, type SubagentInput, subagentsIn } from "./subagent-file.ts";

const builtinSubagents: readonly SubagentDefinition[] = [
  {
    type: "general-purpose",
    description: "Works on a task of several steps by itself and reports the result.",
    prompt:
      "You are an agent that works on one task for another agent. Do what is asked, then report the result in a few sentences.",
  },
  {
    type: "Explore",
    description: "Explores the project, read-only, and reports what it found.",
    prompt:
      "You are an agent that explores a project for another agent. You change nothing. Report what you found, with file names.",
    readOnly: true,
  },
];

/**
 * The kinds of subagents: built-in ones, those of the user's files, of the checkout's files and of the embedding program; a later one
 * replaces an earlier one of the same name. A checkout may change what a built-in subagent does, but not lift its limit: one that only
 * reads still only reads, and the user gets a notice. A file that cannot be used is reported with its line.
 */
export async function loadSubagents(
  { cwd, configFolder, reads, subagents = {} }: Pick<AgentOptions, "cwd" | "configFolder" | "reads" | "subagents">,
  tell: (text: string) => void,
): Promise<readonly SubagentDefinition[]> {
  const byType = new Map(builtinSubagents.map((agent) => [agent.type, agent]));
  const own = join(configFolder, "agents");
  const project = join(cwd, ".claude", "agents");
  const real = reads("agents", "user") ? await realPathOrNone(own) : undefined;
  if (reads("agents", "user"))
    for (const agent of await subagentsIn(own, "anywhere", tell)) byType.set(agent.type, agent);
  // If the start folder is the home folder, its subagents are the user's, not a checkout's.
  const isUsers = real !== undefined && real === (await realPathOrNone(project));
  if (reads("agents", "project") && !isUsers)
    for (const agent of await subagentsIn(project, [cwd], tell))
      byType.set(agent.type, limitCheckoutSubagent(agent, byType.get(agent.type), tell));
  return addSubagents([...byType.values()], reads("agents", "flag") ? subagents : {});
}

function limitCheckoutSubagent(
  agent: SubagentDefinition,
  before: SubagentDefinition | undefined,
  tell: (text: string) => void,
): SubagentDefinition {
  const { model: _, ...rest } = agent;
  const own = namesProvider(agent.model) ? rest : agent;
  if (own !== agent)
    tell(
      `${agent.file}: "model" is ${agent.model}, which a project may not choose; the subagent has the session's model.`,
    );
  if (before === undefined) return own;
  if (!builtinSubagents.includes(before)) {
    // Two files of one folder are not reported.
    if (before.file !== undefined && agent.file !== undefined && dirname(before.file) !== dirname(agent.file))
      tell(`${agent.file}:1: this folder's subagent "${agent.type}" replaces yours, ${before.file}.`);
    return own;
  }
  const limit = before.readOnly === true ? "; it still only reads" : "";
  tell(
    `${agent.file}:1: this folder's subagent replaces the built-in "${agent.type}"${limit}. Give it another name, or put a subagent of that name into your own agents folder.`,
  );
  return before.readOnly === true ? { ...own, readOnly: true } : own;
}

/**
 * `scripted:FILE`, `openai:NAME`: these choose the provider, and so where the conversation is sent. That is the user's
 * choice; neither a checkout nor a model makes it.
 */
export function namesProvider(model: string | undefined): boolean {
  return model !== undefined && /^\s*(?:scripted|openai|anthropic):/.test(model);
}

/**
 * The kinds that exist with those that a program defines; its own win. Contract: throws a `Problem` for one that cannot be used as it
 * is given. A field that this agent cannot honor, such as a limit of tools, is an error and never ignored.
 */
export function addSubagents(
  known: readonly SubagentDefinition[],
  given: Readonly<Record<string, unknown>>,
): readonly SubagentDefinition[] {
  const own = Object.entries(given).map(([name, value]) => readSubagent(name, value));
  return [...known.filter(({ type }) => own.every((one) => one.type !== type)), ...own];
}

const fields = { description: mustBe.text, prompt: mustBe.text, tools: mustBe.textList, model: mustBe.text };

function readSubagent(type: string, value: unknown): SubagentDefinition {
  const supported = `This agent supports ${Object.keys(fields).join(", ")}.`;
  const needed = ["description", "prompt"] as const;
  checkNamed(`The subagent "${type}"`, defined(Object(value)), fields, "host/bad-agent", needed, supported);
  const { description, prompt, tools, model } = value as SubagentInput;
  return {
    type,
    description,
    prompt,
    ...(tools === undefined || tools.includes("*") ? {} : { tools }),
    ...(model === undefined || model === "inherit" ? {} : { model }),
  };
}

/** The tools an agent of a kind may have. */
export function allowedTools(tools: readonly Tool[], definition?: SubagentDefinition): readonly Tool[] {
  if (definition === undefined) return tools;
  return tools.filter(
    (tool) =>
      (definition.tools?.some((name) => isNamed(name, tool.name)) ?? true) &&
      !(definition.disallowedTools?.some((name) => isDisallowed(name, tool.name)) ?? false) &&
      (definition.readOnly !== true || tool.readOnly),
  );
}

/**
 * A rule such as `Bash(rm *)` takes the whole tool away: to limit a tool is the business of permission rules. `mcp__a` is a whole server,
 * `*` is any text, and case does not count.
 */
function isDisallowed(disallowed: string, tool: string): boolean {
  const name = disallowed.replace(/\(.*$/s, "");
  return isNamed(name, tool) || fitsWildcard(name.toLowerCase(), tool.toLowerCase());
}

function isNamed(name: string, tool: string): boolean {
  if (name === tool || (name === "Task" && tool === "Agent")) return true;
  return name.startsWith("mcp__") && tool.startsWith(`${name.replace(/__\*$/, "")}__`);
}
