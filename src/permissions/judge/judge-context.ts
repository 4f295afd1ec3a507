import { dirname } from "node:path";
import { cachingFs, getOrMake, realFs } from "../paths/path-fs.ts";
import {
  foldsCase,
  isWithin,
  type PathCase,
  type PathFs,
  type ResolvedPath,
  resolvePath,
} from "../paths/resolve-path.ts";
import type { Policy, PolicyRule } from "../policy.ts";
import { type Mode, type RuleWarning, readMode } from "../rule-layer.ts";
import { coversTool } from "../rules/rule-tools.ts";
import type { PartFinding } from "./judgement.ts";

/** Where and how a call runs. The host provides it. */
export interface JudgeContext {
  /** The working directory of the call. */
  readonly cwd: string;
  /** The home folder of the user. */
  readonly home: string;
  /** The root of the project. `/x` rules of project settings are relative to it. */
  readonly projectRoot: string;
  /** Working directories added for the session, in addition to those of the settings. */
  readonly directories?: readonly string[];
  /** Default: the mode of the settings, else `default`. `manual` is an alias of `default`. An unknown mode is a warning of the judgment. */
  readonly mode?: Mode | "manual";
  /** False when there is no user to ask: a question then becomes a denial. Default: true. */
  readonly attended?: boolean;
  /** Whether file names are case-sensitive. Default: looked up. */
  readonly pathCase?: PathCase;
  /** The shell that runs Bash commands. Default: bash. For any other shell only exact allow rules apply. */
  readonly shell?: string;
  /** Names of the variables in the environment of the shell. */
  readonly envNames?: readonly string[] | ReadonlySet<string>;
  /** The file system in which paths are looked up. Default: the real one. */
  readonly fs?: PathFs;
  /** Settings files in effect and files that active hooks name. A write to them needs a confirmation. */
  readonly protectedFiles?: readonly string[];
  /** Pins, managed settings, tokens, sockets. A write to them needs a confirmation even in bypassPermissions. */
  readonly ownFiles?: readonly string[];
}

const maxFiles = 1_000;

export type JudgeState = ReturnType<typeof openJudgeState>;

/** The state of one judgment. Every lookup is made once. */
export function openJudgeState(policy: Policy, context: JudgeContext) {
  const disk = context.fs ?? realFs;
  const fs = cachingFs(disk);
  const paths = new Map<string, ResolvedPath>();
  const resolve = (path: string) => getOrMake(paths, path, () => resolvePath(path, context.cwd, fs));
  const findings = new Map<string, PartFinding | undefined>();
  const folded = new Map<string, boolean>();
  const pathCase = context.pathCase ?? "auto";
  const warnings: RuleWarning[] = [];
  let roots: readonly string[] | undefined;
  let skippedFiles = false;
  return {
    policy,
    context,
    mode: modeOf(policy, context, warnings),
    /** The real paths of the working directories. */
    get roots(): readonly string[] {
      const folders = [context.cwd, context.projectRoot, ...policy.directories, ...(context.directories ?? [])];
      roots ??= [...new Set(folders.map((folder) => resolve(absoluteFolder(folder, context)).resolved))];
      return roots;
    },
    /** The paths in the input of a file tool. */
    inputPaths: [] as ResolvedPath[],
    warnings,
    /** A consistent view of the disk, with a limit to listings. */
    fs,
    resolve,
    /** Resolves a file that a command names. Undefined once `maxFiles` paths were resolved. */
    resolveOperand(path: string): ResolvedPath | undefined {
      if (paths.has(path) || paths.size < maxFiles) return resolve(path);
      skippedFiles = true;
      return undefined;
    },
    /** Whether `resolveOperand` skipped a file. */
    hasSkippedFiles: (): boolean => skippedFiles,
    /** The finding about a file, made once even if a command names the file often. */
    cachedFinding: (key: string, make: () => PartFinding | undefined) => getOrMake(findings, key, make),
    /** Whether names that differ only in case may be the same file at a path. */
    foldsCaseAt: (path: string): boolean => getOrMake(folded, path, () => foldsCase(path, pathCase, disk, fs)),
    /** The folder to which `/x` in a rule is relative. */
    sourceOf: (rule: PolicyRule): string => sourceOf(rule, context),
  };
}

/** A relative folder of the settings is relative to the project, so it stays the same when the session changes its directory. */
function absoluteFolder(folder: string, { home, projectRoot }: JudgeContext): string {
  const whole = folder.replace(/^~(?=\/|$)/, home);
  return whole.startsWith("/") ? whole : `${projectRoot}/${whole}`;
}

/** The session's own mode, else the host's, else the one of the settings. */
function modeOf(policy: Policy, context: JudgeContext, warnings: RuleWarning[]): Mode {
  let mode = policy.sessionMode ?? policy.defaultMode ?? "default";
  if (policy.sessionMode === undefined && context.mode !== undefined) {
    const hostMode = readMode(context.mode);
    if (hostMode === undefined) {
      warnings.push({ code: "mode-unknown", message: `"${context.mode}" is not a permission mode; "default" is used` });
    }
    mode = hostMode ?? "default";
  }
  const isDisabled =
    (mode === "bypassPermissions" && policy.bypassDisabled) || (mode === "auto" && policy.autoDisabled);
  if (!isDisabled) return mode;
  warnings.push({ code: "mode-ignored", message: `${mode} is disabled by settings; "default" is used` });
  return "default";
}

function sourceOf({ scope, file }: PolicyRule, { cwd, home, projectRoot }: JudgeContext): string {
  if (scope === "user") return `${home}/.claude`;
  if (scope === "settings" && file !== undefined) return dirname(file);
  return scope === "managed" || scope === "project" || scope === "local" ? projectRoot : cwd;
}

/** The rules of each list that apply to certain tools. */
export type RulesOn = Pick<Policy, "allow" | "ask" | "deny">;

/** Selected once per policy, because each judgment needs the same few tools. */
const rulesByTools = new WeakMap<Policy, Map<string, RulesOn>>();

export function rulesOn(tools: readonly string[], policy: Policy): RulesOn {
  const selections = rulesByTools.get(policy) ?? new Map<string, RulesOn>();
  rulesByTools.set(policy, selections);
  const key = tools.join("\0");
  const cached = selections.get(key);
  if (cached) return cached;
  const matching = (rules: readonly PolicyRule[]) =>
    rules.filter((rule) => tools.some((tool) => coversTool(rule.meaning.tools, tool, policy.names)));
  const selected = { allow: matching(policy.allow), ask: matching(policy.ask), deny: matching(policy.deny) };
  // Tool names come from calls: invented names must not fill the memory.
  if (selections.size < 100) selections.set(key, selected);
  return selected;
}

/** The kind of access to a file, and the tools whose rules apply to it. */
export interface Access {
  readonly writes: boolean;
  readonly shell: boolean;
  readonly tools: readonly string[];
}

export const shellWrite: Access = { writes: true, shell: true, tools: ["Edit", "Write"] };
export const shellRead: Access = { writes: false, shell: true, tools: ["Read"] };

/** Files that hold no data: reading or writing them is always harmless. */
export const standardStreams = /^\/dev\/(?:null|stdin|stdout|stderr)$/;

export function isInWorkingDirectory(path: ResolvedPath, state: JudgeState): boolean {
  return path.kind !== "unreadable" && state.roots.some((root) => isWithin(path.resolved, root));
}

/** Whether a path is a device, pipe or socket, cannot be read, or is in /proc, /sys or /dev. */
export function isSpecial(path: ResolvedPath): boolean {
  if (path.kind === "special" || path.kind === "unreadable") return true;
  return path.spellings.some((spelling) => /^\/(proc|sys|dev)(\/|$)/.test(spelling));
}
