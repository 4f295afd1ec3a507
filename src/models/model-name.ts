import { Problem } from "../protocol/index.ts";

/** What `--model` says: a script, a model behind an OpenAI-compatible API, or else a name the Anthropic API knows. */
export type ModelName =
  | { readonly port: "scripted"; readonly file: string }
  | { readonly port: "openai"; readonly model: string }
  | { readonly port: "anthropic"; readonly model: string };

export function parseModelName(name: string): ModelName {
  if (typeof name !== "string") return { port: "anthropic", model: said(undefined, name) };
  const [, prefix, rest] = /^(scripted|openai|anthropic):(.*)$/s.exec(name.trim()) ?? [];
  if (prefix === undefined) return { port: "anthropic", model: said(name.trim(), name) };
  if (prefix === "scripted") return { port: "scripted", file: said(rest, name) };
  return { port: prefix === "openai" ? "openai" : "anthropic", model: said(rest, name) };
}

function said(part: string | undefined, name: string): string {
  if (part !== undefined && part !== "") return part;
  throw new Problem(
    "models/bad-name",
    `${typeof name === "string" ? `"${name}"` : String(name)} names no model. Write a model's name, openai:NAME, or scripted:FILE for a script.`,
    { about: { name } },
  );
}
