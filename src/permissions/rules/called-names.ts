import { fitsPieces } from "../../protocol/internal.ts";
import type { Glob } from "./spec-glob.ts";

type Input = Readonly<Record<string, unknown>>;

/** The type of agent that a call asks for. */
export function agentType(input: Input): string {
  const type = input["subagent_type"];
  return typeof type === "string" && type.trim() !== "" ? type.trim() : "general-purpose";
}

/** The client finds an agent whatever the letters' case, hyphens, underscores and blanks of its name. */
export function couldStartAgent(wanted: Glob, input: Input): boolean {
  const [first, ...rest] = wanted;
  return fitsPieces([plain(first), ...rest.map(plain)], plain(agentType(input)));
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[\s_-]/g, "");
}
