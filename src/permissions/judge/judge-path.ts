import { protectionOf } from "../paths/path-protection.ts";
import { foldName, isWithin, type ResolvedPath, segmentsBelow, worktreeAround } from "../paths/resolve-path.ts";
import type { PolicyRule } from "../policy.ts";
import type { Mode } from "../rule-layer.ts";
import { coversPath, type PathMatchOptions, type PathPattern } from "../rules/path-pattern.ts";
import { coversTool } from "../rules/rule-tools.ts";
import { type Access, isInWorkingDirectory, isSpecial, type JudgeState, rulesOn } from "./judge-context.ts";
import {
  type ActionKind,
  allowedByRule,
  askedBy,
  decideByMode,
  deniedByRule,
  mayApply,
  modeDecides,
  type PartFinding,
  strictest,
} from "./judgement.ts";
import { boundaryFinding } from "./working-directories.ts";

const readTools = ["Read"];

/** Judges one path by rules, protection and mode. */
export function judgePath(path: ResolvedPath, access: Access, state: JudgeState): PartFinding {
  const { mode } = state;
  const special = isSpecial(path);
  const restriction = strictest([
    judgeRestrictions(path, access, state),
    access.writes ? protectionFinding(path, state) : undefined,
    mode === "plan" && access.writes && !access.shell ? planRefusal : undefined,
  ]);
  // In `bypassPermissions` the question about a protected file becomes an allow. It is dropped here, so that the result names the allow rule
  // or the mode that decides.
  if (restriction && restriction.decision !== "allow") return restriction;
  const rule = special
    ? undefined
    : rulesOn(access.tools, state.policy).allow.find((candidate) => ruleCovers(candidate, path, access, state));
  if (rule) return allowedByRule(rule);
  const inside = isInWorkingDirectory(path, state) && !special;
  const why = explainDecision(displayPath(path, state), access, special, inside, mode);
  return modeDecides(mode, actionOf(access, inside), why);
}

const planRefusal: PartFinding = { ...deniedByRule(null, "mode plan refuses edits"), by: "mode" };

function actionOf({ writes, shell }: Access, inside: boolean): ActionKind {
  if (!writes) return inside ? "read-inside" : "read-outside";
  if (shell) return inside ? "shell-write-inside" : "other";
  return inside ? "edit-inside" : "edit-outside";
}

/** Applies only restrictions: deny and ask rules, and the limit to the working directories. */
export function judgeRestrictions(path: ResolvedPath, access: Access, state: JudgeState): PartFinding | undefined {
  const { policy, mode } = state;
  const rules = rulesOn(access.tools, policy);
  const deny = denyRules(access, state).find((rule) => ruleCovers(rule, path, access, state));
  if (deny) return deniedByRule(deny, `${deny.text} denies ${displayPath(path, state)}`);
  const [first] = denyRules(access, state);
  if (first && [path.written, ...path.links].some(isProcessFolder)) {
    return mayApply(first, `${path.given} is the folder of the process that reads it`, mode);
  }
  const boundary = boundaryFinding(path, access, state);
  if (boundary) return boundary;
  const ask = rules.ask.find((rule) => ruleCovers(rule, path, access, state));
  if (ask) return askedBy(mode, "rule", `${ask.text} asks about ${displayPath(path, state)}`, ask);
  const doubt = policy.doubtful.find(({ tools }) => access.tools.some((tool) => coversTool(tools, tool, policy.names)));
  return doubt && askedBy(mode, "rule", `the rule ${doubt.text} cannot be read`);
}

/** `/proc/self/cwd` and similar links, which lead to a different folder in each process. */
function isProcessFolder(path: string): boolean {
  return /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?cwd(?:\/|$)/.test(path);
}

/** The rules that may deny an access. A file that may not be read may not be edited either, because an edit shows the replaced text. */
export function denyRules(access: Access, { policy }: JudgeState): readonly PolicyRule[] {
  const { deny } = rulesOn(access.tools, policy);
  if (!access.writes) return deny;
  return [...deny, ...rulesOn(readTools, policy).deny.filter(({ meaning }) => meaning.target.kind === "path")];
}

/** Asks about files that determine what runs later, regardless of rules. */
export function protectionFinding(path: ResolvedPath, state: JudgeState): PartFinding | undefined {
  const { context, mode } = state;
  const isAmong = (files: readonly string[] | undefined) =>
    (files ?? []).some((file) => path.spellings.some((spelling) => sameOrBelow(spelling, file, state)));
  const asked = (why: string, action: ActionKind = "protected") =>
    askedBy(mode, "protected", `${displayPath(path, state)} is ${why}`, null, action);
  if (isAmong(context.ownFiles)) return asked("one of Hookline's own files", "own-file");
  const roots = [context.projectRoot, context.home, context.cwd, ...state.roots];
  const guard = path.spellings.map((spelling) => protectionOf(spelling, roots)).find((found) => found !== undefined);
  if (guard) return asked(`protected (${guard}): it can name programs to run`);
  return isAmong(context.protectedFiles) ? asked("protected: it is a settings or hook file in effect") : undefined;
}

export function ruleCovers(rule: PolicyRule, path: ResolvedPath, access: Access, state: JudgeState): boolean {
  const { target } = rule.meaning;
  if (target.kind !== "path") return target.kind === "all";
  const { pattern } = target;
  const anchors = spelledAnchors(pattern, rule, state);
  if (rule.list === "allow") {
    const options = { anyDepth: false, folded: false, folderItself: !access.writes };
    return [path.written, path.resolved].every((spelling) =>
      anchors.some((anchor) => spellingCovered(pattern, spelling, anchor, options)),
    );
  }
  const folded = state.foldsCaseAt(path.resolved);
  const options = { anyDepth: true, folded, folderItself: true };
  return path.spellings.some((spelling) =>
    [...anchors, ...worktreeOf(spelling, pattern, rule, state)].some((anchor) =>
      spellingCovered(pattern, spelling, anchor, options),
    ),
  );
}

/** A rule on `/x` of the project also covers `x` in the worktree of the path, as in Claude Code. */
function worktreeOf(path: string, { anchor }: PathPattern, rule: PolicyRule, state: JudgeState): readonly string[] {
  const { projectRoot } = state.context;
  if (anchor !== "source" || state.sourceOf(rule) !== projectRoot) return [];
  const { written, resolved } = state.resolve(projectRoot);
  return [written, resolved].flatMap((root) => worktreeAround(path, root));
}

function spellingCovered(pattern: PathPattern, path: string, anchor: string, options: PathMatchOptions): boolean {
  const fold = options.folded ? foldName : (text: string) => text;
  const below = segmentsBelow(fold(path), fold(anchor));
  return below !== undefined && coversPath(pattern, below, options);
}

/**
 * The folders to which a rule's pattern is relative. A restriction is relative to the working directory, the project and the added
 * directories, as in Claude Code, so it still holds when the session changes its directory. An allow rule is relative to the working
 * directory only.
 */
export function anchorsOf({ anchor }: PathPattern, rule: PolicyRule, state: JudgeState): readonly string[] {
  const { cwd, home, projectRoot } = state.context;
  if (anchor === "root") return ["/"];
  if (anchor === "home") return [home];
  const start = anchor === "cwd" ? cwd : state.sourceOf(rule);
  if (start !== cwd || rule.list === "allow") return [start];
  return [...new Set([cwd, projectRoot, ...(anchor === "cwd" ? state.roots : [])])];
}

/** The same folders, each as written and with links resolved. */
export function spelledAnchors(pattern: PathPattern, rule: PolicyRule, state: JudgeState): readonly string[] {
  return anchorsOf(pattern, rule, state).flatMap((folder) => {
    const { written, resolved } = state.resolve(folder);
    return written === resolved ? [written] : [written, resolved];
  });
}

function sameOrBelow(path: string, file: string, state: JudgeState): boolean {
  const { written, resolved } = state.resolve(file);
  return [written, resolved].some((name) => isWithin(foldName(path), foldName(name)));
}

function explainDecision(name: string, access: Access, special: boolean, inside: boolean, mode: Mode): string {
  if (special) return `${name} is not a regular file`;
  const where = inside ? "" : ", which is outside the working directories";
  const answer = decideByMode(mode, actionOf(access, inside));
  const deed = access.writes ? "edits" : inside ? "reading" : "reading outside";
  const does = { allow: `lets ${deed} pass`, ask: `asks before ${deed}`, deny: `refuses ${deed}` }[answer];
  return `no ${access.writes ? "Edit" : "Read"} rule covers ${name}${where}; mode ${mode} ${does}`;
}

/** The path for messages: relative with `./` below the working directory, else absolute. */
export function displayPath(path: ResolvedPath, state: JudgeState): string {
  const below = segmentsBelow(path.written, state.resolve(state.context.cwd).written);
  const short = below === undefined ? path.written : below.length === 0 ? "." : `./${below.join("/")}`;
  return path.resolved === path.written ? short : `${short} (really ${path.resolved})`;
}
