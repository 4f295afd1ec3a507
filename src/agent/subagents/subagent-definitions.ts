import { realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { fitsWildcard, Problem } from "../../protocol/internal.ts";
import type { Tool } from "../tools/tool.ts";
import { type SubagentDefinition, subagentsIn } from "./subagent-file.ts";

const builtinSubagents: readonly SubagentDefinition[] = [
  {
    type: "general-purpose",
    description: "Works on a task of several steps by itself and reports what came of it.",
    prompt:
      "You are an agent that works on one task for another agent. Do what is asked, then report the result in a few sentences.",
  },
  {
    type: "Explore",
    description: "Looks around in the project, read-only, and reports what it found.",
    prompt:
      "You are an agent that explores a project for another agent. You change nothing. Report what you found, with file names.",
    readOnly: true,
  },
];

/** A folder of subagent files. Files of a checkout, `<project>/.claude/agents`, count only if they are really in that project. */
export interface SubagentFolder {
  readonly folder: string;
  readonly of: "person" | "checkout";
}

/**
 * The built-in kinds and those of agent files: a later folder's win over an earlier one's, all over the built-in ones. A checkout may
 * change what a built-in subagent does, but not lift its limit: one that only reads still only reads, and the user gets a notice.
 * A file that cannot be used is reported with its line.
 */
export async function loadSubagents(
  folders: readonly SubagentFolder[],
  tell: (text: string) => void,
): Promise<readonly SubagentDefinition[]> {
  const byType = new Map(builtinSubagents.map((agent) => [agent.type, agent]));
  const seen = new Set<string>();
  for (const { folder, of } of folders) {
    const real = await realpath(folder).catch(() => folder); // a missing folder holds nothing
    if (seen.has(real)) continue;
    seen.add(real);
    for (const agent of await subagentsIn(folder, of === "person" ? "anywhere" : [dirname(dirname(folder))], tell))
      byType.set(agent.type, of === "person" ? agent : limitCheckoutSubagent(agent, byType.get(agent.type), tell));
  }
  return [...byType.values()];
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

/** A subagent that a program defines, with the fields of the Agent SDK. */
export type SubagentInput = Pick<SubagentDefinition, "description" | "prompt" | "tools" | "model">;

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

const fields = ["description", "prompt", "tools", "model"];

function readSubagent(type: string, value: unknown): SubagentDefinition {
  const agent = (value ?? {}) as Readonly<Record<string, unknown>>;
  const { description, prompt, tools, model } = agent;
  const unknown = Object.keys(agent).filter((name) => !fields.includes(name) && agent[name] !== undefined);
  if (unknown.length > 0) throw bad(type, `has ${unknown.join(", ")}, which this agent does not support`);
  if (typeof description !== "string" || typeof prompt !== "string")
    throw bad(type, "needs a description and a prompt");
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((name) => typeof name === "string")))
    throw bad(type, '"tools" must be a list of names');
  if (model !== undefined && typeof model !== "string") throw bad(type, '"model" must be a name');
  return {
    type,
    description,
    prompt,
    ...(tools === undefined || tools.includes("*") ? {} : { tools: tools as readonly string[] }),
    ...(model === undefined || model === "inherit" ? {} : { model }),
  };
}

function bad(type: string, why: string): Problem {
  return new Problem("host/bad-agent", `The subagent "${type}" ${why}.`, { about: { agent: type } });
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
