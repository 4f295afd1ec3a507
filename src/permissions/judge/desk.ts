import { dirname } from "node:path";
import { type Mode, readMode } from "../mode.ts";
import type { PathCase } from "../paths/case.ts";
import { type PathFs, realFs, remembering } from "../paths/fs.ts";
import { type ResolvedPath, resolvePath } from "../paths/resolve.ts";
import type { Policy, PolicyRule } from "../policy.ts";
import { type ReadOnlyTable, readOnlyCommands } from "../shell/read-only.ts";
import type { RuleWarning } from "../warning.ts";

/** What a host says about the place and the moment of a call. */
export interface JudgeContext {
  readonly cwd: string;
  readonly home: string;
  readonly projectRoot: string;
  /** Working directories added for the session, beside those of the settings. */
  readonly directories?: readonly string[];
  readonly mode?: string;
  /** False when nobody is there to ask. */
  readonly attended?: boolean;
  readonly pathCase?: PathCase;
  /** The shell that Bash commands go to; anything but bash gets exact allow rules only (PE-36). */
  readonly shell?: string;
  /** Names in the environment of the shell. */
  readonly envNames?: Iterable<string>;
  readonly fs?: PathFs;
  /** Settings files in force and files that active hooks name: protected. */
  readonly protectedFiles?: readonly string[];
  /** Pins, managed settings, tokens, sockets: asked about even in bypassPermissions. */
  readonly ownFiles?: readonly string[];
  readonly readOnly?: ReadOnlyTable;
}

/** Everything one judgement works with, looked up once. */
export interface Desk {
  readonly policy: Policy;
  readonly context: JudgeContext;
  readonly mode: Mode;
  readonly readOnly: ReadOnlyTable;
  readonly pathCase: PathCase;
  /** The host's file system, by which a volume's answer is remembered. */
  readonly disk: PathFs;
  /** The real folders that count as inside. */
  readonly roots: readonly string[];
  readonly seen: ResolvedPath[];
  readonly warnings: RuleWarning[];
  resolve(path: string, cwd?: string): ResolvedPath;
  /** Where a rule's `/x` starts. */
  sourceOf(rule: PolicyRule): string;
}

export function openDesk(policy: Policy, context: JudgeContext): Desk {
  const disk = context.fs ?? realFs;
  const fs = remembering(disk);
  const known = new Map<string, ResolvedPath>();
  const resolve = (path: string, cwd = context.cwd): ResolvedPath => {
    const key = `${cwd}\0${path}`;
    const path_ = known.get(key) ?? resolvePath(path, cwd, fs);
    known.set(key, path_);
    return path_;
  };
  const warnings: RuleWarning[] = [];
  const folders = [context.cwd, context.projectRoot, ...policy.directories, ...(context.directories ?? [])];
  return {
    policy,
    context,
    mode: modeOf(policy, context, warnings),
    readOnly: context.readOnly ?? readOnlyCommands,
    pathCase: context.pathCase ?? "auto",
    disk,
    roots: [...new Set(folders.map((folder) => resolve(folder).resolved))],
    seen: [],
    warnings,
    resolve,
    sourceOf: (rule) => sourceOf(rule, context),
  };
}

/** The session's own mode, the host's word, what the files say (PE-15). */
function modeOf(policy: Policy, context: JudgeContext, warnings: RuleWarning[]): Mode {
  let mode = policy.sessionMode ?? policy.defaultMode ?? "default";
  if (policy.sessionMode === undefined && context.mode !== undefined) {
    const said = readMode(context.mode);
    if (said === undefined) {
      warnings.push({ code: "mode-unknown", message: `"${context.mode}" is not a permission mode; "default" is used` });
    }
    mode = said ?? "default";
  }
  if (mode !== "bypassPermissions" || !policy.bypassDisabled) return mode;
  warnings.push({ code: "mode-ignored", message: 'bypassPermissions is switched off by settings; "default" is used' });
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
