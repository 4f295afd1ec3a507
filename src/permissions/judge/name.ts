import { fitsPieces } from "../../protocol/index.ts";
import type { PolicyRule } from "../policy.ts";
import { agentType, couldStartAgent } from "../rules/called-names.ts";
import { coversHost, hostOf } from "../rules/domain-pattern.ts";
import type { ToolKind } from "../rules/rule-tools.ts";
import { couldStartSkill, skillText } from "../rules/skill-pattern.ts";
import { covers } from "../rules/spec-patterns.ts";
import { coversTool } from "../rules/tool-pattern.ts";
import { allowed, asked, byMode, denied, type Finding } from "./finding.ts";
import type { Desk } from "./judge-context.ts";

type Input = Readonly<Record<string, unknown>>;

/** What a rule looks at in a call that is neither a command nor a file. */
export interface NamedThing {
  readonly kind: "domain" | "name";
  readonly text: string;
}

export function namedThing(tool: string, kind: ToolKind, input: Input): NamedThing {
  if (kind === "web") return { kind: "domain", text: hostOf(input["url"]) ?? shownUrl(input["url"]) };
  if (kind === "agent") return { kind: "name", text: agentType(input) };
  if (kind === "skill") return { kind: "name", text: skillText(input) };
  return { kind: "name", text: tool };
}

/** A call judged by its name: web, agents, skills, MCP tools and tools nobody knows. */
export function judgeName(tool: string, kind: ToolKind, input: Input, desk: Desk): Finding {
  const { policy, mode } = desk;
  const { text } = namedThing(tool, kind, input);
  const met = (rule: PolicyRule) => coversTool(rule.meaning.tools, tool, policy.names) && targetCovers(rule, input);
  const deny = policy.deny.find(met);
  if (deny) return denied(deny, `${deny.text} denies ${text}`);
  const ask = policy.ask.find(met);
  if (ask) return asked(mode, "rule", `${ask.text} asks about ${text}`, ask);
  if (kind === "web" && hostOf(input["url"]) === undefined) {
    return asked(mode, "analysis", "the address is no http(s) URL that every program reads alike; no rule allows it");
  }
  const rule = policy.allow.find(met);
  if (rule) return allowed(rule);
  return byMode(mode, "other", `no rule covers ${text}`);
}

function targetCovers({ list, meaning: { target } }: PolicyRule, input: Input): boolean {
  switch (target.kind) {
    case "all":
      return true;
    case "domain": {
      const host = hostOf(input["url"]);
      return host !== undefined && coversHost(target.pattern, host);
    }
    case "agent":
      return list === "allow" ? fitsPieces(target.type, agentType(input)) : couldStartAgent(target.type, input);
    case "skill":
      return list === "allow"
        ? covers(target.pattern.written, skillText(input))
        : couldStartSkill(target.pattern, input);
    case "field":
      return list !== "allow" && fieldCovers(target, input);
    case "command":
    case "path":
      return false;
  }
}

/** `Tool(field:value)`: one top-level scalar, as sent. */
export function fieldCovers(
  { field, value }: { field: string; value: readonly [string, ...string[]] },
  input: Input,
): boolean {
  const found = Object.hasOwn(input, field) ? input[field] : undefined;
  return (found === null || ["string", "number", "boolean"].includes(typeof found)) && fitsPieces(value, String(found));
}

function shownUrl(url: unknown): string {
  return typeof url === "string" ? url.slice(0, 200) : "no URL";
}
