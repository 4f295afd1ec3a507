import { isAbsolute, parse } from "node:path";
import { isObject } from "../protocol/internal.ts";
import { badCall } from "./check-call.ts";
import {
  layerFaults,
  type Mode,
  mayGrant,
  type RuleLayer,
  type RuleScope,
  type RuleWarning,
  readMode,
  ruleScopes,
  writtenRules,
} from "./rule-layer.ts";
import { isInvalid, looksAbsolute, parseRule, probableMistake, type WrittenRule } from "./rules/rule.ts";
import { type RuleList, type RuleMeaning, ruleMeaning } from "./rules/rule-meaning.ts";
import { compileTool, meantTool, type ToolNames, type ToolPattern } from "./rules/rule-tools.ts";

/** A rule in force, with where it stands. */
export interface PolicyRule {
  readonly text: string;
  readonly list: RuleList;
  readonly scope: RuleScope;
  readonly file?: string;
  readonly meaning: RuleMeaning;
}

/** Rules of all layers, ready to judge with. Frozen; a change makes a new one. */
export interface Policy {
  readonly layers: readonly RuleLayer[];
  readonly names: ToolNames;
  /** Each list in the order in which rules are named. */
  readonly allow: readonly PolicyRule[];
  readonly ask: readonly PolicyRule[];
  readonly deny: readonly PolicyRule[];
  /** Tools whose deny or ask rule could not be read: every call is asked about. */
  readonly doubtful: readonly { readonly tools: ToolPattern; readonly text: string }[];
  readonly directories: readonly string[];
  /** What the files say; the host's own word comes first. */
  readonly defaultMode?: Mode;
  readonly sessionMode?: Mode;
  readonly bypassDisabled: boolean;
  readonly autoDisabled: boolean;
  /** What is refused outside the working directories, whatever rules and modes say. */
  readonly boundary: WorkingDirectoryLimit;
  /** A call that would be asked about is denied. */
  readonly denyInsteadOfPrompting: boolean;
  readonly managedUnreadable: boolean;
  readonly warnings: readonly RuleWarning[];
}

/** The edge of the working directories as a limit of its own. */
export interface WorkingDirectoryLimit {
  readonly reads: boolean;
  readonly writes: boolean;
  /** Absolute paths that may be read anyway. */
  readonly exempt: readonly string[];
}

/** Reads the rules of all layers, once per snapshot. What cannot be read in a layer becomes a warning. */
export function compileRules(layers: readonly RuleLayer[], names: ToolNames = {}): Policy {
  const given: unknown = layers;
  if (!Array.isArray(given) || !given.every(isObject)) {
    throw badCall("compileRules", 'its first argument must be a list of layers, such as [{ scope: "user", deny: [] }]');
  }
  const ordered = [...layers].sort((a, b) => ruleScopes.indexOf(a.scope) - ruleScopes.indexOf(b.scope));
  const managedOnly = ordered.some(
    (layer) => layer.scope === "managed" && layer.allowManagedPermissionRulesOnly === true,
  );
  const granting = ordered.filter((layer) => mayGrant(layer) && (!managedOnly || layer.scope === "managed"));
  const warnings: RuleWarning[] = ordered.flatMap(layerFaults);
  const doubtful: { tools: ToolPattern; text: string }[] = [];
  const read = (list: RuleList, from: readonly RuleLayer[]) =>
    from.flatMap((layer) => rulesOf(layer, list, names, warnings, doubtful));
  const policy: Policy = {
    layers: ordered,
    names,
    deny: read("deny", ordered),
    ask: read("ask", ordered),
    allow: read("allow", granting),
    doubtful,
    directories: granting.flatMap(({ additionalDirectories }) => texts(additionalDirectories)),
    ...modesOf(granting, warnings),
    bypassDisabled: ordered.some(({ disableBypassPermissionsMode: word }) => isSet(word)),
    autoDisabled: ordered.some(({ disableAutoMode: word }) => isSet(word)),
    boundary: {
      reads: ordered.some((layer) => layer.blockReadsOutsideWorkingDirectories === true),
      writes: ordered.some((layer) => layer.blockWritesOutsideWorkingDirectories === true),
      exempt: ordered.filter(({ scope }) => scope === "settings").flatMap(exemptPaths),
    },
    denyInsteadOfPrompting: ordered.some(
      (layer) => layer.denyInsteadOfPrompting === true && layer.scope !== "project" && layer.scope !== "local",
    ),
    managedUnreadable: ordered.some((layer) => layer.scope === "managed" && layer.unreadable === true),
    warnings,
  };
  return Object.freeze(policy);
}

/** The documented value is "disable"; any other value also restricts. */
function isSet(word: unknown): boolean {
  return word !== undefined && word !== false;
}

function rulesOf(
  layer: RuleLayer,
  list: RuleList,
  names: ToolNames,
  warnings: RuleWarning[],
  doubtful: { tools: ToolPattern; text: string }[],
): PolicyRule[] {
  return writtenRules(layer, list).flatMap((text: unknown, index) => {
    const place = `${layer.file ?? layer.scope}, permissions.${list}[${index}]`;
    const rule = parseRule(text);
    const meaning = isInvalid(rule) ? rule : ruleMeaning(rule, list, names);
    if ("tooWide" in meaning) {
      warnings.push({
        code: "rule-too-wide",
        message: `${shown(text)} in ${place} grants nothing: ${meaning.tooWide}`,
        place,
      });
      return [];
    }
    if (isInvalid(meaning) || isInvalid(rule)) {
      const fault = isInvalid(meaning) ? meaning : undefined;
      const asks = list !== "allow" && fault?.tool !== undefined;
      if (asks) doubtful.push({ tools: compileTool(fault.tool ?? "", names), text: shown(text) });
      const effect = asks ? `; every ${fault.tool} call is asked about until it is fixed` : "";
      warnings.push({
        code: "rule-invalid",
        message: `${shown(text)} in ${place} is off: ${fault?.invalid}${effect}`,
        place,
      });
      return [];
    }
    if (list !== "allow") warnings.push(...doubts(rule, meaning, place, names, doubtful));
    const base = { text: rule.text, list, scope: layer.scope, meaning };
    return [layer.file === undefined ? base : { ...base, file: layer.file }];
  });
}

/** A deny or ask rule that can be read and hardly covers what its author means. */
function doubts(
  rule: WrittenRule,
  { toolKind }: RuleMeaning,
  place: string,
  names: ToolNames,
  doubtful: { tools: ToolPattern; text: string }[],
): RuleWarning[] {
  const text = shown(rule.text);
  const asks = (tool: string, why: string): RuleWarning => {
    doubtful.push({ tools: compileTool(tool, names), text });
    const message = `${text} in ${place} ${why}; every ${tool} call is asked about until it is fixed`;
    return { code: "rule-invalid", message, place };
  };
  const meant = meantTool(rule.tool, names);
  const fault = probableMistake(rule, toolKind);
  const found: RuleWarning[] = [];
  if (meant !== undefined) {
    const way = meant === "mcp__*" ? "write mcp__server or mcp__server__tool" : `the tool is written "${meant}"`;
    found.push(asks(meant, `covers no ${meant} call: ${way}`));
  }
  if (fault !== undefined) found.push(asks(rule.tool, `hardly covers what is meant: ${fault}`));
  if (looksAbsolute(rule, toolKind)) {
    const message = `${text} in ${place} does not count from the root of the file system; write ${rule.tool}(/${rule.spec}) for that`;
    found.push({ code: "rule-elsewhere", message, place });
  }
  return found;
}

/** Managed, flags, `--settings`, user, then the project's own, which may not switch asking off. */
function modesOf(granting: readonly RuleLayer[], warnings: RuleWarning[]): { defaultMode?: Mode; sessionMode?: Mode } {
  const order: readonly RuleScope[] = ["managed", "flags", "settings", "user", "local", "project"];
  const found: { defaultMode?: Mode; sessionMode?: Mode } = {};
  const sorted = [...granting].sort((a, b) => order.indexOf(a.scope) - order.indexOf(b.scope));
  for (const layer of sorted) {
    if (layer.defaultMode === undefined) continue;
    const place = `${layer.file ?? layer.scope}, permissions.defaultMode`;
    const mode = readMode(layer.defaultMode);
    const own = layer.scope === "project" || layer.scope === "local";
    if (mode === undefined) {
      warnings.push({
        code: "mode-unknown",
        message: `${shown(layer.defaultMode)} in ${place} is not a mode; "default" is used`,
        place,
      });
    } else if (own && (mode === "bypassPermissions" || mode === "auto")) {
      warnings.push({
        code: "mode-ignored",
        message: `a project may not set ${mode} (${place}); set it in your own settings`,
        place,
      });
    } else if (layer.scope === "session") {
      found.sessionMode = mode;
    } else {
      found.defaultMode ??= mode;
    }
  }
  return found;
}

/** Each path counts as written; one that could mean another place than it shows does not count. */
function exemptPaths({ blockReadsExemptPaths: paths }: RuleLayer): string[] {
  return texts(paths).filter((path) => {
    const plain = isAbsolute(path) && path === path.trim() && !path.startsWith("//") && !path.startsWith("\\\\");
    return plain && !path.split(/[\\/]/).includes("..") && parse(path).root !== path;
  });
}

function texts(list: readonly unknown[] | undefined): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
