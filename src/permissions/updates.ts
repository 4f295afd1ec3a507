import { checkNamed, isObject, mustBe, type OptionCheck, type PermissionUpdate } from "../protocol/internal.ts";
import { realFs } from "./paths/path-fs.ts";
import { type PathFs, pathFault, resolvePath } from "./paths/resolve-path.ts";
import { compileRules, type Policy } from "./policy.ts";
import { onlyManagedGrants, type RuleLayer, type RuleWarning, readMode } from "./rule-layer.ts";
import { isInvalid, parseRule } from "./rules/rule.ts";
import { readRule } from "./rules/rule-meaning.ts";

/** The origin of updates, and the abilities of the host. */
export interface UpdateSource {
  /** The settings layer of the hook. Absent when the user chose "always". Hooks from a checkout may not change user settings. */
  readonly scope?: string;
  /** Whether the host supports bypassPermissions. */
  readonly bypassAvailable?: boolean;
  /** Resolves paths. Default: the real file system. */
  readonly fs?: PathFs;
}

/** Checks each entry separately. An invalid one is dropped with a warning; the others are accepted. */
export function checkUpdates(
  updates: unknown,
  policy: Policy,
  source: UpdateSource = {},
): { accepted: readonly PermissionUpdate[]; warnings: readonly RuleWarning[] } {
  checkNamed("the source of updates", source, sourceChecks, "permissions/bad-call");
  const accepted: PermissionUpdate[] = [];
  const warnings: RuleWarning[] = [];
  for (const [index, entry] of (Array.isArray(updates) ? updates : [updates]).entries()) {
    const fault = faultIn(entry, policy, source);
    const place = `updatedPermissions[${index}]`;
    if (fault === undefined) accepted.push(entry as PermissionUpdate);
    else warnings.push({ code: "permission-update-invalid", message: `${place} was dropped: ${fault}`, place });
  }
  return { accepted, warnings };
}

/** With a misspelled `scope` a hook of a checkout could change user settings. */
const sourceChecks: Readonly<Record<keyof UpdateSource, OptionCheck>> = {
  scope: mustBe.text,
  bypassAvailable: mustBe.boolean,
  fs: mustBe.object,
};

/**
 * Applies the entries for the session and returns a new policy. Entries for a settings file are returned as `stored`; the caller
 * writes them.
 */
export function applyUpdates(
  policy: Policy,
  updates: readonly PermissionUpdate[],
  source: UpdateSource = {},
): { policy: Policy; stored: readonly PermissionUpdate[]; warnings: readonly RuleWarning[] } {
  const { accepted, warnings } = checkUpdates(updates, policy, source);
  const stored = accepted.filter(({ destination }) => destination !== "session");
  const forSession = accepted.filter(({ destination }) => destination === "session");
  if (forSession.length === 0) return { policy, stored, warnings };
  const others = policy.layers.filter((layer) => layer.scope !== "session");
  const sessionLayers = policy.layers.filter((layer) => layer.scope === "session");
  const session = forSession.reduce(applyOne, sessionLayers.reduce(mergeLayers, { scope: "session" } as RuleLayer));
  return { policy: compileRules([...others, session], policy.names), stored, warnings };
}

const destinations = ["session", "localSettings", "projectSettings", "userSettings"];

function faultIn(entry: unknown, policy: Policy, source: UpdateSource): string | undefined {
  if (!isObject(entry)) return "it is not an object";
  const { type, destination } = entry;
  if (typeof destination !== "string" || !destinations.includes(destination)) {
    return `destination must be one of ${destinations.join(", ")}`;
  }
  if (destination === "userSettings" && isCheckout(source.scope)) {
    return "a hook of a project may not write user settings";
  }
  switch (type) {
    case "addRules":
    case "replaceRules":
    case "removeRules":
      return faultInRules(entry, policy, type);
    case "setMode":
      return faultInMode(entry["mode"], destination, policy, source);
    case "addDirectories":
    case "removeDirectories":
      return faultInDirectories(entry["directories"], policy, type, source.fs ?? realFs);
    default:
      return `"${String(type)}" is not a type of update`;
  }
}

function faultInRules(update: Record<string, unknown>, policy: Policy, type: string): string | undefined {
  const { rules, behavior } = update;
  if (behavior !== "allow" && behavior !== "ask" && behavior !== "deny") return "behavior must be allow, ask or deny";
  if (!Array.isArray(rules) || rules.length === 0) return "rules must be a list of {toolName, ruleContent}";
  if (behavior === "allow" && type !== "removeRules" && onlyManagedGrants(policy.layers)) {
    return "only managed settings may allow here";
  }
  for (const entry of rules as unknown[]) {
    const text = ruleText(entry);
    if (text === undefined) return "rules must be a list of {toolName, ruleContent}";
    const rule = type === "removeRules" ? parseRule(text) : readRule(text, behavior, policy.names);
    if (isInvalid(rule)) return `${text}: ${rule.invalid}`;
  }
  return undefined;
}

function faultInMode(value: unknown, destination: string, policy: Policy, source: UpdateSource): string | undefined {
  const mode = readMode(value);
  if (mode === undefined) return `"${String(value)}" is not a mode`;
  const grants = mode !== "default" && mode !== "plan" && mode !== "dontAsk";
  if (grants && onlyManagedGrants(policy.layers)) return "only managed settings may grant here";
  if (mode !== "bypassPermissions") return undefined;
  if (destination !== "session") return "bypassPermissions is never stored as a default";
  const isAvailable = source.bypassAvailable === true && !policy.bypassDisabled;
  return isAvailable ? undefined : "bypassPermissions is not available here";
}

function faultInDirectories(list: unknown, policy: Policy, type: string, fs: PathFs): string | undefined {
  if (!Array.isArray(list) || list.length === 0) return "directories must be a list of absolute paths";
  if (type === "addDirectories" && onlyManagedGrants(policy.layers)) return "only managed settings may grant here";
  for (const path of list as unknown[]) {
    const fault = pathFault(path);
    if (fault !== undefined || typeof path !== "string") return fault ?? "a directory must be a string";
    if (!path.startsWith("/")) return `${path} is not absolute`;
    if (type === "addDirectories" && resolvePath(path, "/", fs).kind !== "folder") return `${path} is not a directory`;
  }
  return undefined;
}

function applyOne(layer: RuleLayer, update: PermissionUpdate): RuleLayer {
  const { additionalDirectories: directories = [] } = layer;
  switch (update.type) {
    case "setMode":
      return { ...layer, defaultMode: update.mode };
    case "addDirectories":
      return { ...layer, additionalDirectories: [...new Set([...directories, ...update.directories])] };
    case "removeDirectories":
      return {
        ...layer,
        additionalDirectories: directories.filter((path) => !update.directories.includes(String(path))),
      };
    default: {
      const texts = update.rules.flatMap((entry) => ruleText(entry) ?? []);
      const before = layer[update.behavior] ?? [];
      const equal = (text: unknown) => texts.some((other) => other.trim() === String(text).trim());
      const after = update.type === "replaceRules" ? texts : before.filter((text) => !equal(text));
      return { ...layer, [update.behavior]: update.type === "addRules" ? [...after, ...texts] : after };
    }
  }
}

function mergeLayers(a: RuleLayer, b: RuleLayer): RuleLayer {
  const lists = ["allow", "ask", "deny", "additionalDirectories"] as const;
  const joined = Object.fromEntries(lists.map((list) => [list, [...(a[list] ?? []), ...(b[list] ?? [])]]));
  return { ...a, ...b, ...joined };
}

function ruleText(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined;
  const { toolName, ruleContent, ...rest } = entry;
  if (typeof toolName !== "string" || toolName.includes("(")) return undefined;
  // A misspelled `ruleContent` must not turn the rule into one on the whole tool.
  if (ruleContent === undefined) return Object.keys(rest).length === 0 ? toolName : undefined;
  return typeof ruleContent === "string" ? `${toolName}(${ruleContent})` : undefined;
}

/** Whether a hook is part of a checkout: in a project's settings, or in the frontmatter of a skill or an agent. */
function isCheckout(scope: string | undefined): boolean {
  return scope !== undefined && ["project", "local", "skill", "agent", "frontmatter"].includes(scope);
}
