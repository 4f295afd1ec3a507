import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";

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

/** The built-in kinds and those of agent files: the project's win over the person's, both over the built-in ones. */
export async function loadAgents(folders: readonly string[]): Promise<readonly AgentDefinition[]> {
  const byType = new Map(builtinAgents.map((agent) => [agent.type, agent]));
  for (const folder of folders) {
    for (const agent of await agentsIn(folder)) byType.set(agent.type, agent);
  }
  return [...byType.values()];
}

async function agentsIn(folder: string): Promise<readonly AgentDefinition[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(".md")).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8").catch(() => undefined)));
  return names.flatMap((name, index) => {
    const text = texts[index];
    return text === undefined ? [] : [agentIn(text, join(folder, name))];
  });
}

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
