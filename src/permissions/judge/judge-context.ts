import { dirname } from "node:path";
import { realFs, remembering } from "../paths/path-fs.ts";
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

/** Where and how a call runs, as the host knows it. */
export interface JudgeContext {
  /** The working directory of the call. */
  readonly cwd: string;
  /** The home folder of the user. */
  readonly home: string;
  /** The root of the project, where `/x` rules of project settings start. */
  readonly projectRoot: string;
  /** Working directories added for the session, in addition to those of the settings. */
  readonly directories?: readonly string[];
  /** The permission mode. Default: `default`. */
  readonly mode?: string;
  /** False when there is no user to ask. */
  readonly attended?: boolean;
  /** Whether file names are case-sensitive. Default: looked up. */
  readonly pathCase?: PathCase;
  /** The shell that Bash commands go to; anything but bash gets exact allow rules only. */
  readonly shell?: string;
  /** Names in the environment of the shell. */
  readonly envNames?: readonly string[] | ReadonlySet<string>;
  /** The file system to look at. Default: the real one. */
  readonly fs?: PathFs;
  /** Settings files in force and files that active hooks name: protected. */
  readonly protectedFiles?: readonly string[];
  /** Pins, managed settings, tokens, sockets: asked about even in bypassPermissions. */
  readonly ownFiles?: readonly string[];
}

/** What one judgement works with, looked up once. */
export interface JudgeState {
  readonly policy: Policy;
  readonly context: JudgeContext;
  readonly mode: Mode;
  /** The real folders that count as inside. */
  readonly roots: readonly string[];
  readonly seen: ResolvedPath[];
  readonly warnings: RuleWarning[];
  /** The disk as this judgement sees it; folders are listed up to a number of names in all. */
  readonly fs: PathFs;
  resolve(path: string): ResolvedPath;
  /** A file that a command names; undefined beyond the number that is looked at. */
  look(path: string): ResolvedPath | undefined;
  /** Whether `look` had to leave a file out. */
  overlooked(): boolean;
  /** What was found about a file, made once however often a command names it. */
  recall(key: string, make: () => PartFinding | undefined): PartFinding | undefined;
  /** Whether names that differ in case may be one file at a path. */
  folds(path: string): boolean;
  /** Where a rule's `/x` starts. */
  sourceOf(rule: PolicyRule): string;
}

const maxFiles = 1_000;
const maxListed = 200_000;

export function openJudgeState(policy: Policy, context: JudgeContext): JudgeState {
  const disk = context.fs ?? realFs;
  const fs = limited(remembering(disk));
  const paths = new Map<string, ResolvedPath>();
  const resolve = (path: string) => kept(paths, path, () => resolvePath(path, context.cwd, fs));
  const findings = new Map<string, PartFinding | undefined>();
  const folded = new Map<string, boolean>();
  const pathCase = context.pathCase ?? "auto";
  const warnings: RuleWarning[] = [];
  let roots: readonly string[] | undefined;
  let overlooked = false;
  return {
    policy,
    context,
    mode: modeOf(policy, context, warnings),
    get roots() {
      const folders = [context.cwd, context.projectRoot, ...policy.directories, ...(context.directories ?? [])];
      roots ??= [...new Set(folders.map((folder) => resolve(wholeFolder(folder, context)).resolved))];
      return roots;
    },
    seen: [],
    warnings,
    fs,
    resolve,
    look(path) {
      if (paths.has(path) || paths.size < maxFiles) return resolve(path);
      overlooked = true;
      return undefined;
    },
    overlooked: () => overlooked,
    recall: (key, make) => kept(findings, key, make),
    folds: (path) => kept(folded, path, () => foldsCase(path, pathCase, disk, fs)),
    sourceOf: (rule) => sourceOf(rule, context),
  };
}

/** A relative folder of the settings counts from the project: a session that moves to another folder takes no grant or guard along. */
function wholeFolder(folder: string, { home, projectRoot }: JudgeContext): string {
  const whole = folder.replace(/^~(?=\/|$)/, home);
  return whole.startsWith("/") ? whole : `${projectRoot}/${whole}`;
}

function limited(fs: PathFs): PathFs {
  const { list } = fs;
  if (list === undefined) return fs;
  let left = maxListed;
  return {
    ...fs,
    list(path) {
      const entries = left > 0 ? list(path) : undefined;
      left -= entries?.length ?? 0;
      return entries;
    },
  };
}

function kept<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key);
  if (known !== undefined || map.has(key)) return known as T;
  const made = make();
  map.set(key, made);
  return made;
}

/** The session's own mode, the host's word, what the files say. */
function modeOf(policy: Policy, context: JudgeContext, warnings: RuleWarning[]): Mode {
  let mode = policy.sessionMode ?? policy.defaultMode ?? "default";
  if (policy.sessionMode === undefined && context.mode !== undefined) {
    const said = readMode(context.mode);
    if (said === undefined) {
      warnings.push({ code: "mode-unknown", message: `"${context.mode}" is not a permission mode; "default" is used` });
    }
    mode = said ?? "default";
  }
  const off = (mode === "bypassPermissions" && policy.bypassDisabled) || (mode === "auto" && policy.autoDisabled);
  if (!off) return mode;
  warnings.push({ code: "mode-ignored", message: `${mode} is switched off by settings; "default" is used` });
  return "default";
}

function sourceOf(rule: PolicyRule, { cwd, home, projectRoot }: JudgeContext): string {
  switch (rule.scope) {
    case "managed":
    case "project":
    case "local":
      return projectRoot;
    case "user":
      return `${home}/.claude`;
    case "settings":
      return rule.file === undefined ? cwd : dirname(rule.file);
    case "flags":
    case "session":
      return cwd;
  }
}

/** The rules of each list that name one of some tools. */
export interface RulesOn {
  readonly allow: readonly PolicyRule[];
  readonly ask: readonly PolicyRule[];
  readonly deny: readonly PolicyRule[];
}

/** Sorted out once per policy: judging asks for the same tools again and again. */
const sorted = new WeakMap<Policy, Map<string, RulesOn>>();

export function rulesOn(tools: readonly string[], policy: Policy): RulesOn {
  const known = sorted.get(policy) ?? new Map<string, RulesOn>();
  sorted.set(policy, known);
  const key = tools.join("\0");
  const before = known.get(key);
  if (before) return before;
  const named = (rules: readonly PolicyRule[]) =>
    rules.filter((rule) => tools.some((tool) => coversTool(rule.meaning.tools, tool, policy.names)));
  const found = { allow: named(policy.allow), ask: named(policy.ask), deny: named(policy.deny) };
  // Tool names come with the calls; a caller that makes them up must not fill the memory.
  if (known.size < 100) known.set(key, found);
  return found;
}

/** What is done to a file, and under the rules of which tools. */
export interface Access {
  readonly writes: boolean;
  readonly shell: boolean;
  readonly tools: readonly string[];
}

export const shellWrite: Access = { writes: true, shell: true, tools: ["Edit", "Write"] };
export const shellRead: Access = { writes: false, shell: true, tools: ["Read"] };

export function isInside(path: ResolvedPath, state: JudgeState): boolean {
  return path.kind !== "unreadable" && state.roots.some((root) => isWithin(path.resolved, root));
}

/** Not a regular file, folder or free name, or below a folder of the kernel. */
export function isSpecial(path: ResolvedPath): boolean {
  if (path.kind === "special" || path.kind === "unreadable") return true;
  return path.spellings.some((spelling) => /^\/(proc|sys|dev)(\/|$)/.test(spelling));
}
