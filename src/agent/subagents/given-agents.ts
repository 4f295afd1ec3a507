import { Problem } from "../../protocol/index.ts";
import type { AgentDefinition } from "./subagent-definitions.ts";

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
