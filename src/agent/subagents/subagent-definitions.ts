import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { unless } from "../../files/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { Tool } from "../tools/tool.ts";
import { readPromptFile, splitFrontmatter } from "../world/prompt-file.ts";
import { toolNames, withoutEffect } from "./subagent-file.ts";

/** A kind of agent: what it is told, what it may use. */
export interface AgentDefinition {
  readonly type: string;
  /** When to use it, for the model that chooses. */
  readonly description: string;
  readonly prompt: string;
  /** Names of its tools; all of them when absent. */
  readonly tools?: readonly string[];
  /** Tools that it does not get, also if `tools` names them. */
  readonly disallowedTools?: readonly string[];
  /** Model calls that one stretch of its work may make. */
  readonly maxTurns?: number;
  /** Only tools that change nothing. */
  readonly readOnly?: boolean;
  readonly model?: string;
  readonly file?: string;
}

export const builtinAgents: readonly AgentDefinition[] = [
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

/** A folder of agent files. What lies in a checkout, `<project>/.claude/agents`, counts only if it is really in that project. */
export interface AgentFolder {
  readonly folder: string;
  readonly of: "person" | "checkout";
}

/**
 * The built-in kinds and those of agent files: a later folder's win over an earlier one's, all over the built-in ones. A checkout may
 * tell a built-in kind something else, but not lift its limit: one that only reads goes on to only read, and the person is told.
 * A file that cannot be used is told with its place.
 */
export async function loadAgents(
  folders: readonly AgentFolder[],
  tell: (text: string) => void,
): Promise<readonly AgentDefinition[]> {
  const byType = new Map(builtinAgents.map((agent) => [agent.type, agent]));
  const seen = new Set<string>();
  for (const { folder, of } of folders) {
    const real = await realpath(folder).catch(() => folder); // one that is not there holds nothing
    if (seen.has(real)) continue;
    seen.add(real);
    for (const agent of await agentsIn(folder, of === "person" ? "anywhere" : [dirname(dirname(folder))], tell))
      byType.set(agent.type, of === "person" ? agent : ofCheckout(agent, byType.get(agent.type), tell));
  }
  return [...byType.values()];
}

function ofCheckout(
  agent: AgentDefinition,
  before: AgentDefinition | undefined,
  tell: (text: string) => void,
): AgentDefinition {
  const { model: _, ...rest } = agent;
  const own = namesProvider(agent.model) ? rest : agent;
  if (own !== agent)
    tell(
      `${agent.file}: "model" is ${agent.model}, which a project may not choose; the subagent has the session's model.`,
    );
  if (before === undefined) return own;
  if (!builtinAgents.includes(before)) {
    // Two files of one folder are the folder's own affair.
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
 * `scripted:FILE`, `openai:NAME`: not which model is asked but who answers, and so where the conversation goes. That is the person's
 * choice; neither a checkout nor a model makes it.
 */
export function namesProvider(model: string | undefined): boolean {
  return model !== undefined && /^\s*(?:scripted|openai|anthropic):/.test(model);
}

async function agentsIn(
  folder: string,
  roots: readonly string[] | "anywhere",
  tell: (text: string) => void,
): Promise<readonly AgentDefinition[]> {
  const names = (await namesIn(folder, tell)).filter((name) => name.endsWith(".md")).sort();
  if (names.length > mostAgents)
    tell(`${folder} has ${names.length} subagents; those from ${names[mostAgents]} on are not used. Remove some.`);
  const agents: AgentDefinition[] = [];
  for (const name of names.slice(0, mostAgents)) {
    const file = join(folder, name);
    const found = await readPromptFile(file, roots);
    if (found === undefined) continue;
    const agent = "text" in found ? await agentIn(found.text, file) : { line: 1, why: found.fault };
    if ("type" in agent) {
      agents.push(agent);
      if ("text" in found) await tellUnused(found.text, file, tell);
    } else tell(`${file}:${agent.line}: ${agent.why}. This subagent is not used; fix the file or remove it.`);
  }
  return agents;
}

const mostAgents = 200;

async function namesIn(folder: string, tell: (text: string) => void): Promise<readonly string[]> {
  try {
    return (await unless(["ENOENT", "ENOTDIR"], readdir(folder))) ?? [];
  } catch (error) {
    tell(`The subagents in ${folder} are not used: ${(error as Error).message}. Make the folder readable.`);
    return [];
  }
}

/** Contract: a file that means to limit its agent and cannot be read gives none, never one without limits. */
async function agentIn(
  text: string,
  file: string,
): Promise<AgentDefinition | { readonly line: number; readonly why: string }> {
  const { fields, keys, body, fault } = await splitFrontmatter(text);
  if (fault !== undefined) return fault;
  const nested = ["tools", "disallowedTools"].find((key) => keys.includes(key) && fields[key] === undefined);
  if (nested !== undefined)
    return { line: lineOf(text, nested), why: `"${nested}" must be names of tools, in one line or as a list` };
  const tools = toolNames(fields["tools"]);
  if (tools?.length === 0)
    return { line: lineOf(text, "tools"), why: '"tools" names no tool; without the line the subagent has all of them' };
  const disallowedTools = toolNames(fields["disallowedTools"]);
  const maxTurns = fields["maxTurns"] === undefined ? undefined : Number(fields["maxTurns"]);
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && maxTurns > 0))
    return { line: lineOf(text, "maxTurns"), why: '"maxTurns" must be a whole number above 0' };
  const { name, description = "", model = "" } = fields;
  return {
    type: name || basename(file, ".md"),
    description,
    prompt: body.trim(),
    ...(tools === undefined || tools.includes("*") ? {} : { tools }),
    ...(disallowedTools === undefined ? {} : { disallowedTools }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(model === "" || model === "inherit" ? {} : { model }),
    file,
  };
}

function lineOf(text: string, key: string): number {
  return text.split(/\r?\n/).findIndex((line) => line.startsWith(key) && /^[ \t]*:/.test(line.slice(key.length))) + 1;
}

/** Keys of the client's agent files that change what an agent does, and that this agent does not honor. */
const unused = ["permissionMode", "mcpServers", "skills", "memory", "isolation", "background", "effort"];

async function tellUnused(text: string, file: string, tell: (text: string) => void): Promise<void> {
  const { fields, keys } = await splitFrontmatter(text);
  for (const { key, why } of withoutEffect(fields, keys)) tell(`${file}:${lineOf(text, key)}: ${why}.`);
  const found = unused.filter((key) => keys.includes(key) && fields[key] !== "");
  const [first] = found;
  if (first === undefined) return;
  tell(`${file}:${lineOf(text, first)}: this agent does not honor ${found.join(", ")} of an agent file.`);
}

/** A kind of agent that a program defines, spelled as the Agent SDK spells it. */
export interface GivenAgent {
  readonly description: string;
  readonly prompt: string;
  readonly tools?: readonly string[];
  readonly model?: string;
}

/**
 * The kinds that exist with those that a program defines; its own win. Contract: throws a `Problem` for one that cannot be used as it
 * is given. A field that this agent cannot honor, such as a limit of tools, is an error and never ignored.
 */
export function withGivenAgents(
  known: readonly AgentDefinition[],
  given: Readonly<Record<string, unknown>>,
): readonly AgentDefinition[] {
  const own = Object.entries(given).map(([name, value]) => readAgent(name, value));
  return [...known.filter(({ type }) => own.every((one) => one.type !== type)), ...own];
}

const fields = ["description", "prompt", "tools", "model"];

function readAgent(type: string, value: unknown): AgentDefinition {
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
export function allowedTools(tools: readonly Tool[], definition?: AgentDefinition): readonly Tool[] {
  if (definition === undefined) return tools;
  return tools.filter(
    (tool) =>
      (definition.tools?.some((name) => isNamed(name, tool.name)) ?? true) &&
      !(definition.disallowedTools?.some((name) => takesAway(name, tool.name)) ?? false) &&
      (definition.readOnly !== true || tool.readOnly),
  );
}

/**
 * A rule such as `Bash(rm *)` takes the whole tool away: to limit a tool is the business of permission rules. `mcp__a` is a whole server,
 * `*` any run of letters, and a name in other letters is meant all the same.
 */
function takesAway(disallowed: string, tool: string): boolean {
  const name = disallowed.replace(/\(.*$/s, "");
  return isNamed(name, tool) || fits(name.toLowerCase().split("*"), tool.toLowerCase());
}

function isNamed(name: string, tool: string): boolean {
  return name === tool || (name === "Task" && tool === "Agent") || isServerOf(name.replace(/__\*$/, ""), tool);
}

function isServerOf(name: string, tool: string): boolean {
  return /^mcp__/.test(name) && tool.startsWith(`${name}__`);
}

/** Whether the pieces between stars occur in order, the first at the start and the last at the end. */
function fits([first = "", ...pieces]: readonly string[], text: string): boolean {
  const last = pieces.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of pieces) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
