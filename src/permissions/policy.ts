import { isAbsolute, parse } from "node:path";
import { defined, isObject } from "../protocol/internal.ts";
import { badCall } from "./check-call.ts";
import {
  layerFaults,
  type Mode,
  mayGrant,
  type RuleLayer,
  type RuleScope,
  type RuleWarning,
  type RuleWarningCode,
  readMode,
  ruleScopes,
  writtenRules,
} from "./rule-layer.ts";
import { isInvalid, looksAbsolute, probableMistake, type WrittenRule } from "./rules/rule.ts";
import { type RuleList, type RuleMeaning, readRule } from "./rules/rule-meaning.ts";
import { compileTool, intendedTool, type ToolNames, type ToolPattern } from "./rules/rule-tools.ts";

/** A rule in effect, with its source. */
export interface PolicyRule {
  readonly text: string;
  readonly list: RuleList;
  readonly scope: RuleScope;
  readonly file?: string;
  readonly meaning: RuleMeaning;
}

/** The compiled rules of all layers. Frozen: an update returns a new policy. */
export interface Policy {
  readonly layers: readonly RuleLayer[];
  readonly names: ToolNames;
  /** Each list is ordered by precedence: when several rules match, the first one is reported. */
  readonly allow: readonly PolicyRule[];
  readonly ask: readonly PolicyRule[];
  readonly deny: readonly PolicyRule[];
  /** Tools with a deny or ask rule that could not be read. Every call of them needs a confirmation. */
  readonly doubtful: readonly { readonly tools: ToolPattern; readonly text: string }[];
  readonly directories: readonly string[];
  /** The mode that settings files set. A mode that the host passes takes precedence. */
  readonly defaultMode?: Mode;
  readonly sessionMode?: Mode;
  readonly bypassDisabled: boolean;
  readonly autoDisabled: boolean;
  /** Refuses access outside the working directories, regardless of rules and mode. */
  readonly boundary: WorkingDirectoryLimit;
  /** A call that needs a confirmation is denied instead. */
  readonly denyInsteadOfPrompting: boolean;
  readonly managedUnreadable: boolean;
  readonly warnings: readonly RuleWarning[];
}

/** Which kinds of access outside the working directories are refused. */
export interface WorkingDirectoryLimit {
  readonly reads: boolean;
  readonly writes: boolean;
  /** Absolute paths that may be read anyway. */
  readonly exempt: readonly string[];
}

/** Compiles the rules of all layers. Call it once per settings snapshot. An invalid rule or key becomes a warning. */
export function compileRules(layers: readonly RuleLayer[], names: ToolNames = {}): Policy {
  const candidate: unknown = layers;
  if (!Array.isArray(candidate) || !candidate.every(isObject)) {
    throw badCall("compileRules", 'its first argument must be a list of layers, such as [{ scope: "user", deny: [] }]');
  }
  const ordered = [...layers].sort((a, b) => ruleScopes.indexOf(a.scope) - ruleScopes.indexOf(b.scope));
  const managedOnly = ordered.some(
    (layer) => layer.scope === "managed" && layer.allowManagedPermissionRulesOnly === true,
  );
  const granting = ordered.filter((layer) => mayGrant(layer) && (!managedOnly || layer.scope === "managed"));
  const warnings: RuleWarning[] = ordered.flatMap(layerFaults);
  const doubtful: RuleFindings["doubtful"] = [];
  const readList = (list: RuleList, from: readonly RuleLayer[]) =>
    from.flatMap((layer) => rulesOf(layer, list, names, { warnings, doubtful }));
  const policy: Policy = {
    layers: ordered,
    names,
    deny: readList("deny", ordered),
    ask: readList("ask", ordered),
    allow: readList("allow", granting),
    doubtful,
    directories: granting.flatMap(({ additionalDirectories }) => stringsIn(additionalDirectories)),
    ...modesOf(granting, warnings),
    bypassDisabled: ordered.some(({ disableBypassPermissionsMode: value }) => isSet(value)),
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

/** The documented value is "disable". Any other value except `false` also restricts. */
function isSet(value: unknown): boolean {
  return value !== undefined && value !== false;
}

/** What reading rules finds besides the rules. */
interface RuleFindings {
  readonly warnings: RuleWarning[];
  readonly doubtful: Policy["doubtful"][number][];
}

function rulesOf(
  layer: RuleLayer,
  list: RuleList,
  names: ToolNames,
  { warnings, doubtful }: RuleFindings,
): readonly PolicyRule[] {
  return writtenRules(layer, list).flatMap((written: unknown, index) => {
    const place = `${layer.file ?? layer.scope}, permissions.${list}[${index}]`;
    const text = quoted(written);
    const warn = (code: RuleWarningCode, what: string): void => {
      warnings.push({ code, message: `${text} in ${place} ${what}`, place });
    };
    const warnAndAsk = (tool: string, what: string): void => {
      doubtful.push({ tools: compileTool(tool, names), text });
      warn("rule-invalid", `${what}; every ${tool} call is asked about until it is fixed`);
    };
    const read = readRule(written, list, names);
    if (isInvalid(read)) {
      const { invalid, tool, tooWide } = read;
      if (tooWide) warn("rule-too-wide", `grants nothing: ${invalid}`);
      else if (list !== "allow" && tool !== undefined) warnAndAsk(tool, `is disabled: ${invalid}`);
      else warn("rule-invalid", `is disabled: ${invalid}`);
      return [];
    }
    const { rule, meaning } = read;
    if (list !== "allow") warnIfSuspect(rule, meaning, names, warn, warnAndAsk);
    return [{ text: rule.text, list, scope: layer.scope, meaning, ...defined({ file: layer.file }) }];
  });
}

/** Warns about a deny or ask rule that is valid but probably does not cover what its author intends. */
function warnIfSuspect(
  rule: WrittenRule,
  { toolKind }: RuleMeaning,
  names: ToolNames,
  warn: (code: RuleWarningCode, what: string) => void,
  warnAndAsk: (tool: string, what: string) => void,
): void {
  const intended = intendedTool(rule.tool, names);
  if (intended !== undefined) {
    const fix = intended === "mcp__*" ? "write mcp__server or mcp__server__tool" : `the tool is named "${intended}"`;
    warnAndAsk(intended, `covers no ${intended} call: ${fix}`);
  }
  const mistake = probableMistake(rule, toolKind);
  if (mistake !== undefined) warnAndAsk(rule.tool, `probably does not cover what is intended: ${mistake}`);
  if (looksAbsolute(rule, toolKind)) {
    const fix = `write ${rule.tool}(/${rule.spec}) for that`;
    warn("rule-elsewhere", `is not relative to the root of the file system; ${fix}`);
  }
}

/** The first mode in the order managed, flags, `--settings`, user, local, project. A project may not switch confirmations off. */
function modesOf(granting: readonly RuleLayer[], warnings: RuleWarning[]): { defaultMode?: Mode; sessionMode?: Mode } {
  const order: readonly RuleScope[] = ["managed", "flags", "settings", "user", "local", "project"];
  const modes: { defaultMode?: Mode; sessionMode?: Mode } = {};
  const sorted = [...granting].sort((a, b) => order.indexOf(a.scope) - order.indexOf(b.scope));
  for (const layer of sorted) {
    if (layer.defaultMode === undefined) continue;
    const place = `${layer.file ?? layer.scope}, permissions.defaultMode`;
    const mode = readMode(layer.defaultMode);
    const isFromCheckout = layer.scope === "project" || layer.scope === "local";
    if (mode === undefined) {
      const message = `${quoted(layer.defaultMode)} in ${place} is not a mode; "default" is used`;
      warnings.push({ code: "mode-unknown", message, place });
    } else if (isFromCheckout && (mode === "bypassPermissions" || mode === "auto")) {
      const message = `a project may not set ${mode} (${place}); set it in your own settings`;
      warnings.push({ code: "mode-ignored", message, place });
    } else if (layer.scope === "session") {
      modes.sessionMode = mode;
    } else {
      modes.defaultMode ??= mode;
    }
  }
  return modes;
}

/** The exempt paths that are absolute and unambiguous. Others, such as one with `..`, are ignored. */
function exemptPaths({ blockReadsExemptPaths: paths }: RuleLayer): string[] {
  return stringsIn(paths).filter((path) => {
    const plain = isAbsolute(path) && path === path.trim() && !path.startsWith("//") && !path.startsWith("\\\\");
    return plain && !path.split(/[\\/]/).includes("..") && parse(path).root !== path;
  });
}

function stringsIn(list: readonly unknown[] | undefined): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
