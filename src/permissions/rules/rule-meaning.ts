import { compilePath, type PathPattern } from "./path-pattern.ts";
import { type Invalid, isInvalid, parseRule, type WrittenRule } from "./rule.ts";
import {
  compileTool,
  currentName,
  fieldsOfOthers,
  isTooWide,
  kindOf,
  type ToolKind,
  type ToolNames,
  type ToolPattern,
  toolFields,
} from "./rule-tools.ts";
import {
  type CommandPattern,
  compileCommand,
  compileDomain,
  compileSkill,
  type DomainPattern,
  type Glob,
  readSpec,
  type SkillPattern,
} from "./spec-patterns.ts";

export type RuleList = "allow" | "ask" | "deny";

/** The part of a tool's input that a rule restricts or allows. */
export type Target =
  | { readonly kind: "all" }
  | { readonly kind: "command"; readonly pattern: CommandPattern }
  | { readonly kind: "path"; readonly pattern: PathPattern }
  | { readonly kind: "domain"; readonly pattern: DomainPattern }
  | { readonly kind: "agent"; readonly type: Glob }
  | { readonly kind: "skill"; readonly pattern: SkillPattern }
  | { readonly kind: "field"; readonly field: string; readonly value: Glob };

export interface RuleMeaning {
  readonly tools: ToolPattern;
  readonly toolKind: ToolKind;
  readonly target: Target;
}

/** Parses and compiles a rule for a list. */
export function readRule(
  text: unknown,
  list: RuleList,
  names: ToolNames = {},
): { readonly rule: WrittenRule; readonly meaning: RuleMeaning } | Invalid {
  const rule = parseRule(text);
  if (isInvalid(rule)) return rule;
  const meaning = ruleMeaning(rule, list, names);
  return isInvalid(meaning) ? meaning : { rule, meaning };
}

/** Compiles a rule. An allow rule that is too wide is rejected here, so it can never allow anything. */
function ruleMeaning(rule: WrittenRule, list: RuleList, names: ToolNames): RuleMeaning | Invalid {
  const name = currentName(rule.tool, names);
  const toolKind = kindOf(name, names);
  if (list === "allow" && isTooWide(rule.tool)) {
    return tooWide(`"*" in the tool name of an allow rule may only follow "mcp__server__"`);
  }
  const target = rule.spec === undefined ? ({ kind: "all" } as const) : targetOf(rule.spec, name, toolKind, list);
  if (isInvalid(target)) return { ...target, tool: name };
  return { tools: compileTool(rule.tool, names), toolKind, target };
}

function tooWide(invalid: string): Invalid {
  return { invalid, tooWide: true };
}

function targetOf(spec: string, tool: string, kind: ToolKind, list: RuleList): Target | Invalid {
  const field = fieldOf(spec, kind, fieldsOfOthers.get(tool));
  if (field)
    return list === "allow"
      ? { invalid: `a parameter ("${field.field}:") can be denied or asked about, not allowed` }
      : field;
  const ownField = toolFields[kind].own.find((name) => spec.startsWith(`${name}:`));
  if (ownField) return { invalid: `a rule already matches "${ownField}"; write the pattern without "${ownField}:"` };
  switch (kind) {
    case "shell":
      return commandTarget(spec);
    case "text":
      if (list === "allow" && readSpec(spec).length > 1) {
        return tooWide('commands of this shell are not analyzed; an allow rule must be one exact command, without "*"');
      }
      return commandTarget(spec);
    case "read":
    case "edit": {
      const pattern = compilePath(spec);
      return isInvalid(pattern) ? pattern : { kind: "path", pattern };
    }
    case "web":
      return domainTarget(spec);
    case "agent": {
      const type = readSpec(spec);
      if (list === "allow" && type.length > 1) return tooWide('"*" is for deny and ask; name the agent type');
      return { kind: "agent", type };
    }
    case "skill":
      return { kind: "skill", pattern: compileSkill(spec) };
    case "mcp":
    case "other":
      if (list !== "allow") return { kind: "all" };
      return {
        invalid: `an allow rule for "${tool}" takes nothing in parentheses: check the name of the tool, or allow it by its name alone`,
      };
  }
}

function commandTarget(spec: string): Target {
  const pattern = compileCommand(spec);
  return pattern.words.length === 0 ? { kind: "all" } : { kind: "command", pattern };
}

function domainTarget(spec: string): Target | Invalid {
  const host = /^domain:(.*)$/.exec(spec)?.[1];
  if (host === undefined) return { invalid: "write WebFetch(domain:example.com)" };
  const pattern = compileDomain(host);
  return isInvalid(pattern) ? pattern : { kind: "domain", pattern };
}

/** `field:value`: any field name for an MCP or unknown tool, a known field for the others. */
function fieldOf(spec: string, kind: ToolKind, known?: readonly string[]): (Target & { kind: "field" }) | undefined {
  const match = /^([A-Za-z_][\w.-]*):(.*)$/.exec(spec);
  const [field, value] = [match?.[1], match?.[2]];
  if (field === undefined || value === undefined || toolFields[kind].own.includes(field)) return undefined;
  if (known && !known.includes(field)) return undefined;
  const takesAnyField = kind === "other" || kind === "mcp";
  if (!takesAnyField && (!toolFields[kind].others.includes(field) || (kind === "shell" && value === "*")))
    return undefined;
  return { kind: "field", field, value: readSpec(value) };
}
