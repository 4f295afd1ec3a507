import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readPromptFile } from "../prompt-file.ts";

/** A kind of agent: what it is told, what it may use. */
export interface AgentDefinition {
  readonly type: string;
  /** When to use it, for the model that chooses. */
  readonly description: string;
  readonly prompt: string;
  /** Names of its tools; all of them when absent. */
  readonly tools?: readonly string[];
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

/**
 * The built-in kinds and those of agent files: the project's win over the person's, both over the built-in ones. The first folder is
 * the person's own; what lies in a later one, `<project>/.claude/agents`, counts only if it is really in that project.
 */
export async function loadAgents(folders: readonly string[]): Promise<readonly AgentDefinition[]> {
  const byType = new Map(builtinAgents.map((agent) => [agent.type, agent]));
  for (const [index, folder] of folders.entries()) {
    const roots = index === 0 ? "anywhere" : [dirname(dirname(folder))];
    for (const agent of await agentsIn(folder, roots))
      byType.set(agent.type, index === 0 || !namesProvider(agent.model) ? agent : withoutModel(agent));
  }
  return [...byType.values()];
}

/**
 * `scripted:FILE`, `openai:NAME`: not which model is asked but who answers, and so where the conversation goes. That is the person's
 * choice; neither a checkout nor a model makes it.
 */
export function namesProvider(model: string | undefined): boolean {
  return model !== undefined && /^\s*(?:scripted|openai|anthropic):/.test(model);
}

function withoutModel({ model: _, ...agent }: AgentDefinition): AgentDefinition {
  return agent;
}

async function agentsIn(folder: string, roots: readonly string[] | "anywhere"): Promise<readonly AgentDefinition[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".md")).sort();
  const agents: AgentDefinition[] = [];
  for (const name of names.slice(0, mostAgents)) {
    const file = join(folder, name);
    const found = await readPromptFile(file, roots);
    if (found !== undefined && "text" in found) agents.push(agentIn(found.text, file));
  }
  return agents;
}

const mostAgents = 200;

function agentIn(text: string, file: string): AgentDefinition {
  const { fields, body } = splitFrontmatter(text);
  const tools = fields["tools"]
    ?.split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const { model } = fields;
  return {
    type: fields["name"] ?? basename(file, ".md"),
    description: fields["description"] ?? "",
    prompt: body.trim(),
    ...(tools === undefined || tools.length === 0 || tools.includes("*") ? {} : { tools }),
    ...(model === undefined || model === "inherit" ? {} : { model }),
    file,
  };
}

/** The plain `key: value` lines of a Markdown file's frontmatter, and what follows it. Nested values are not for us. */
export function splitFrontmatter(text: string): {
  readonly fields: Readonly<Record<string, string>>;
  readonly body: string;
} {
  const found = /^\ufeff?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text);
  if (found === null) return { fields: {}, body: text };
  const lines = (found[1] ?? "").split(/\r?\n/).flatMap((line) => {
    const [, key, value] = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line) ?? [];
    return key === undefined || value === undefined || value === "" ? [] : [[key, unquoted(value.trim())] as const];
  });
  return { fields: Object.fromEntries(lines), body: found[2] ?? "" };
}

function unquoted(value: string): string {
  return /^"(.*)"$/.exec(value)?.[1] ?? /^'(.*)'$/.exec(value)?.[1] ?? value;
}
