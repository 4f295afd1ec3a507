import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { misspelledKeys } from "../../engine/internal.ts";
import { ignoringErrors } from "../../files/internal.ts";
import { splitRules } from "../../permissions/internal.ts";
import { defined } from "../../protocol/internal.ts";
import { type PromptFrontmatter, type ReadRoots, readPromptFile, splitFrontmatter } from "../world/prompt-file.ts";

/** A type of subagent: its prompt and its tools. */
export interface SubagentDefinition {
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

/** A subagent that a program defines, with the fields of the Agent SDK. */
export type SubagentInput = Pick<SubagentDefinition, "description" | "prompt" | "tools" | "model">;

/** The subagents in the files of a folder. A file that cannot be used is reported with its line. */
export async function subagentsIn(
  folder: string,
  roots: ReadRoots,
  tell: (text: string) => void,
): Promise<readonly SubagentDefinition[]> {
  const names = (await namesIn(folder, tell)).filter((name) => name.endsWith(".md")).sort();
  if (names.length > maxSubagents)
    tell(`${folder} has ${names.length} subagents; those from ${names[maxSubagents]} on are not used. Remove some.`);
  const agents: SubagentDefinition[] = [];
  for (const name of names.slice(0, maxSubagents)) {
    const file = join(folder, name);
    const found = await readPromptFile(file, roots);
    if (found === undefined) continue;
    const text = "text" in found ? found.text : "";
    const read = "text" in found ? await subagentIn(text, file) : { line: 1, why: found.fault };
    if ("why" in read) {
      tell(`${file}:${read.line}: ${read.why}. This subagent is not used; fix the file or remove it.`);
      continue;
    }
    agents.push(read.agent);
    for (const { key, why } of read.ignored) tell(`${file}:${lineOf(text, key)}: ${why}.`);
  }
  return agents;
}

const maxSubagents = 200;

async function namesIn(folder: string, tell: (text: string) => void): Promise<readonly string[]> {
  try {
    return (await ignoringErrors(["ENOENT", "ENOTDIR"], readdir(folder))) ?? [];
  } catch (error) {
    tell(`The subagents in ${folder} are not used: ${(error as Error).message}. Make the directory readable.`);
    return [];
  }
}

/** Contract: a file that limits its subagent and cannot be read gives none, never one without limits. */
async function subagentIn(text: string, file: string) {
  const read = await splitFrontmatter(text);
  const { fields, keys, body, fault } = read;
  if (fault !== undefined) return fault;
  const wrong = (key: string, why: string) => ({ line: lineOf(text, key), why });
  const nested = ["tools", "disallowedTools"].find((key) => keys.includes(key) && fields[key] === undefined);
  if (nested !== undefined) return wrong(nested, `"${nested}" must be names of tools, in one line or as a list`);
  const tools = fields["tools"] === undefined ? undefined : splitRules(fields["tools"]);
  if (tools?.length === 0)
    return wrong("tools", '"tools" names no tool; without the line the subagent has all of them');
  const disallowedTools = fields["disallowedTools"] === undefined ? undefined : splitRules(fields["disallowedTools"]);
  const maxTurns = fields["maxTurns"] === undefined ? undefined : Number(fields["maxTurns"]);
  if (maxTurns !== undefined && !(Number.isInteger(maxTurns) && maxTurns > 0))
    return wrong("maxTurns", '"maxTurns" must be a whole number above 0');
  const { name, description = "", model = "" } = fields;
  const agent = {
    type: name || basename(file, ".md"),
    description,
    prompt: body.trim(),
    ...(tools === undefined || tools.includes("*") ? {} : { tools }),
    ...defined({ disallowedTools, maxTurns }),
    ...(model === "" || model === "inherit" ? {} : { model }),
    file,
  };
  return { agent, ignored: ignoredKeys(read, tools ?? []) };
}

function lineOf(text: string, key: string): number {
  return text.split(/\r?\n/).findIndex((line) => line.startsWith(key) && /^[ \t]*:/.test(line.slice(key.length))) + 1;
}

/** Keys of Claude Code's agent files that change what an agent does, and that this agent does not honor. */
const unsupportedKeys = ["permissionMode", "mcpServers", "skills", "memory", "isolation", "background", "effort"];

function ignoredKeys({ fields, keys }: PromptFrontmatter, tools: readonly string[]) {
  const present = Object.fromEntries(keys.map((key) => [key, true]));
  const misspelled = misspelledKeys(present, ["tools", "disallowedTools", "allowedTools"]);
  const renamed = keys.includes("allowedTools") ? [{ key: "allowedTools", meant: "allowedTools" }] : [];
  const rule = tools.find((name) => name.includes("("));
  const unsupported = unsupportedKeys.filter((key) => keys.includes(key) && fields[key] !== "");
  const ignored = [...renamed, ...misspelled].map(({ key, meant }) => {
    const rightKey = meant === "allowedTools" ? "tools" : meant;
    return { key, why: `"${key}" is not a key of a subagent file, so it has no effect. Use "${rightKey}" instead` };
  });
  if (rule !== undefined) {
    const why = `${JSON.stringify(rule)} is a rule and not a tool, so the subagent does not get that tool. Name the tool, and limit it by permission rules`;
    ignored.push({ key: "tools", why });
  }
  for (const key of unsupported.slice(0, 1))
    ignored.push({ key, why: `this agent does not honor ${unsupported.join(", ")} of an agent file` });
  return ignored;
}
