import { isAbsolute, parse } from "node:path";
import { defined, stringsIn } from "../protocol/internal.ts";
import { checkRuleSources } from "./check-call.ts";
import {
  layerFaults,
  type Mode,
  mayGrant,
  misspelledRules,
  onlyManagedGrants,
  type RuleLayer,
  type RuleScope,
  type RuleWarning,
  type RuleWarningCode,
  readMode,
  ruleScopes,
  writtenRules,
} from "./rule-layer.ts";
import { isInvalid, type WrittenRule } from "./rules/rule.ts";
import { type RuleList, type RuleMeaning, readRule } from "./rules/rule-meaning.ts";
import { compileTool, intendedTool, type ToolKind, type ToolNames, type ToolPattern } from "./rules/rule-tools.ts";

/** The rule that decided, with its list and its source. */
export interface RuleRef {
  readonly text: string;
  readonly list: RuleList;
  readonly scope: RuleScope;
  readonly file?: string;
}

/** A rule in effect, with its source. */
export interface PolicyRule extends RuleRef {
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
  /** Reads are refused. */
  readonly reads: boolean;
  /** Writes are refused. */
  readonly writes: boolean;
  /** Absolute paths that may be read anyway. */
  readonly exempt: readonly string[];
}

/** Compiles the rules of all layers. Call it once per settings snapshot. An invalid rule or key becomes a warning. */
export function compileRules(layers: readonly RuleLayer[], names: ToolNames = {}): Policy {
  checkRuleSources(layers, names, ruleScopes);
  const ordered = [...layers].sort((a, b) => ruleScopes.indexOf(a.scope) - ruleScopes.indexOf(b.scope));
  const managedOnly = onlyManagedGrants(ordered);
  const granting = ordered.filter((layer) => mayGrant(layer) && (!managedOnly || layer.scope === "managed"));
  const warnings: RuleWarning[] = ordered.flatMap(layerFaults);
  const doubtful: RuleFindings["doubtful"] = ordered.flatMap((layer) =>
    misspelledRules(layer).map(({ key, written }) => {
      const tool = toolOf(written, names);
      return { tools: compileTool(tool, names), text: `${quoted(written)} under ${quoted(key)}` };
    }),
  );
  const readList = (list: RuleList, from: readonly RuleLayer[]) =>
    from.flatMap((layer) => rulesOf(layer, list, { names, warnings, doubtful }));
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
interface RuleFindings extends Pick<Policy, "names"> {
  readonly warnings: RuleWarning[];
  readonly doubtful: Policy["doubtful"][number][];
}

function rulesOf(layer: RuleLayer, list: RuleList, findings: RuleFindings): readonly PolicyRule[] {
  const { names, warnings, doubtful } = findings;
  return writtenRules(layer, list).flatMap((written: unknown, index) => {
    const place = `${layer.file ?? layer.scope}, permissions.${list}[${index}]`;
    const text = quoted(written);
    const warn = (code: RuleWarningCode, what: string): void => {
      warnings.push({ code, message: `${text} in ${place} ${what}`, place });
    };
    const warnAndAsk = (tool: string, what: string): void => {
      doubtful.push({ tools: compileTool(tool, names), text });
      const calls = tool === anyTool ? "every call" : `every ${tool} call`;
      warn("rule-invalid", `${what}; ${calls} is asked about until it is fixed`);
    };
    const read = readRule(written, list, names);
    if (isInvalid(read)) {
      const { invalid, tooWide } = read;
      if (tooWide) warn("rule-too-wide", `grants nothing: ${invalid}`);
      else if (list !== "allow" && !isBlank(written)) warnAndAsk(toolOf(written, names), `is disabled: ${invalid}`);
      else warn("rule-invalid", `is disabled: ${invalid}`);
      return [];
    }
    const { rule, meaning } = read;
    for (const { tool, what } of list === "allow" ? [] : suspicions(rule, meaning, names)) {
      if (tool === undefined) warn("rule-elsewhere", what);
      else warnAndAsk(tool, what);
    }
    return [{ text: rule.text, list, scope: layer.scope, meaning, ...defined({ file: layer.file }) }];
  });
}

/** The tool of a deny or ask rule; every tool when it cannot be read. */
function toolOf(written: unknown, names: ToolNames): string {
  const read = readRule(written, "deny", names);
  const tool = isInvalid(read) ? read.tool : read.rule.tool;
  return tool === undefined ? anyTool : (intendedTool(tool, names) ?? tool);
}

const anyTool = "*";

/** An entry that cannot have been meant to restrict anything. */
function isBlank(written: unknown): boolean {
  return written === null || (typeof written === "string" && written.trim() === "");
}

/** Why a deny or ask rule that is valid probably does not cover what its author intends, and the tool that is then asked about. */
function suspicions(rule: WrittenRule, { toolKind }: RuleMeaning, names: ToolNames): { tool?: string; what: string }[] {
  const found: { tool?: string; what: string }[] = [];
  const tool = intendedTool(rule.tool, names);
  if (tool !== undefined) {
    const fix = tool === "mcp__*" ? "write mcp__server or mcp__server__tool" : `the tool is named "${tool}"`;
    found.push({ tool, what: `covers no ${tool} call: ${fix}` });
  }
  const mistake = probableMistake(rule, toolKind);
  if (mistake) found.push({ tool: rule.tool, what: `probably does not cover what is intended: ${mistake}` });
  if (looksAbsolute(rule, toolKind)) {
    const fix = `write ${rule.tool}(/${rule.spec}) for that`;
    found.push({ what: `is not relative to the root of the file system; ${fix}` });
  }
  return found;
}

/** A probable mistake in a valid rule, because of which it does not cover what its author intends. */
function probableMistake({ spec = "" }: WrittenRule, kind: ToolKind): string | undefined {
  const isCommand = kind === "shell" || kind === "text";
  if (!isCommand && kind !== "read" && kind !== "edit") return undefined;
  if (/^(["'`]).*\1$/s.test(spec) && !spec.slice(1, -1).includes(spec[0] ?? "")) return "write it without quotes";
  if (isCommand)
    return oddSpace.test(spec) ? "it holds an invisible character or a blank that no command has" : undefined;
  if (/(?<!\\)\{[^{}]*,[^{}]*\}/.test(spec)) return "braces have no meaning in a path; write one rule for each name";
  if (/^\$\{?[A-Z_]+\}?(?:\/|$)/.test(spec)) return "variables have no meaning in a path; write ~/ for home";
  if (spec.endsWith(":*")) return '":*" is for commands; a path alone covers all that is in it';
  return /[^\\],\s/.test(spec) ? "it looks like more than one path; write one rule for each" : undefined;
}

const oddSpace = /[\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/;

/** Top-level folders of the file system that a project rarely contains. */
const rootFolders = /^\/(?:etc|home|Users|root|usr|var|private|proc|mnt|opt|Volumes)(?:\/|$)/;

/** Whether a path seems to be absolute but begins with one slash, which means the folder of the rule's source. */
function looksAbsolute({ spec = "" }: WrittenRule, kind: ToolKind): boolean {
  return (kind === "read" || kind === "edit") && rootFolders.test(spec);
}

/** The first mode in the order managed, flags, `--settings`, user, local, project. A project may not switch confirmations off. */
function modesOf(granting: readonly RuleLayer[], warnings: RuleWarning[]): Pick<Policy, "defaultMode" | "sessionMode"> {
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

function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 120 ? `${text.slice(0, 119)}…` : text;
}
