import { basename } from "node:path";
import type { HookType, Skip, ToolInput } from "../../protocol/internal.ts";
import { type EffectiveSettings, switchedOff, withUnusable } from "../live/effective-settings.ts";
import { matcherDetail, matches } from "../match/matcher.ts";
import type { Ports } from "../ports.ts";
import { firstFound } from "../settings/check-fields.ts";
import { type ConfiguredHook, honorsOnce, isGuard, isInProcess } from "../settings/layer.ts";
import { identityOf, strictestHook } from "./equal-hooks.ts";
import type { FiringEvent } from "./firing-event.ts";
import { maxHookDepth } from "./hook-depth.ts";

export interface Selection {
  readonly hooks: readonly ConfiguredHook[];
  readonly skipped: readonly Skip[];
}

/** Which hooks of an event run, and why the others do not. Starts nothing. */
export function planEvent(event: FiringEvent): Selection {
  return admitHooks(selectHooks(event), event);
}

type SkipRefusal = Omit<Skip, "hook">;

/** The hooks for which `refusalOf` has no reason not to run them; the others are added to `skipped`. */
function admit(
  hooks: readonly ConfiguredHook[],
  skipped: readonly Skip[],
  refusalOf: (hook: ConfiguredHook) => SkipRefusal | undefined,
): Selection {
  const admitted: ConfiguredHook[] = [];
  const refused: Skip[] = [...skipped];
  for (const hook of hooks) {
    const refusal = refusalOf(hook);
    if (refusal === undefined) admitted.push(hook);
    else refused.push({ hook: hook.ref, ...refusal });
  }
  return { hooks: admitted, skipped: refused };
}

/** The hooks whose matcher and condition hold, in configured order. */
function selectHooks(event: FiringEvent): Selection {
  const matched = selectByMatcher(event.hooks, event.matched);
  if (matched.hooks.every(({ condition }) => condition === null)) return matched;
  return admit(matched.hooks, matched.skipped, (hook) => skipByCondition(hook, event));
}

/** The same hooks are asked about the same few values again and again, so the answer is kept as long as the hooks are. */
export function selectByMatcher(hooks: readonly ConfiguredHook[], value: string | undefined): Selection {
  const answers = answered.get(hooks) ?? new Map<string | undefined, Selection>();
  answered.set(hooks, answers);
  const known = answers.get(value);
  if (known !== undefined) return known;
  const selected = admit(hooks, [], (hook) => skipByMatcher(hook, value));
  if (answers.size >= mostAnswers) answers.clear();
  if (value === undefined || value.length <= longestValue) answers.set(value, selected);
  return selected;
}

const answered = new WeakMap<readonly ConfiguredHook[], Map<string | undefined, Selection>>();
const mostAnswers = 256;
const longestValue = 256;

function skipByMatcher({ matcher, row }: ConfiguredHook, value: string | undefined): SkipRefusal | undefined {
  if (row.matchesOn === null || matches(matcher, value)) return undefined;
  return { why: "matcher", detail: matcherDetail(matcher, value) };
}

function skipByCondition({ condition, hook }: ConfiguredHook, event: FiringEvent): SkipRefusal | undefined {
  if (condition === null) return undefined;
  const rule = `if "${hook.if ?? ""}"`;
  if (!event.row.special.onTool) {
    return { why: "if", detail: `${event.row.name} is not about a tool, so ${rule} never holds` };
  }
  if (condition === "never") return { why: "if", detail: `${rule} is not a permission rule and never holds` };
  const { tool_name: tool, tool_input: input, cwd } = event.payload;
  const { home, cwd: projectRoot } = event.services.options;
  const found = condition(String(tool), input as ToolInput, { cwd: String(cwd), home, projectRoot });
  return found === undefined ? undefined : { why: "if", detail: `"${hook.if ?? ""}" does not match ${found}` };
}

/** One reason not to run a hook. Checked in order; the first that applies is reported. */
type SkipCheck = (hook: ConfiguredHook, event: FiringEvent) => SkipRefusal | undefined;

const skipChecks: readonly SkipCheck[] = [
  tooDeep,
  (hook, { settings }) => switchedOff(hook, settings),
  notTrusted,
  outsideFrontmatter,
  notSupported,
  alreadyRan,
];

/** What may run of what was selected: no check refuses it, and equal hooks run once. */
function admitHooks(selection: Selection, event: FiringEvent): Selection {
  const { settings, depth, row } = event;
  const known = admitted.get(selection);
  if (known?.settings === settings && known.depth === depth) return known.result;
  const refused = withUnusable(selection.skipped, settings, row.name);
  const hooks = selection.hooks.map((hook) => failingIfChanged(hook, event));
  const passed = admit(hooks, refused, (hook) => firstFound(skipChecks, (check) => check(hook, event)));
  if (!selection.hooks.every(isSettledBeforehand)) {
    const distinct = dropDuplicates(passed.hooks);
    return { hooks: distinct.hooks, skipped: [...passed.skipped, ...distinct.skipped] };
  }
  admitted.set(selection, { settings, depth, result: passed });
  return passed;
}

/**
 * In-process hooks that a program registered are never duplicates of each other, and neither files nor the payload decide whether they
 * run: the checks give the same result for the same settings and depth.
 */
function isSettledBeforehand({ hook, layer: { kind } }: ConfiguredHook): boolean {
  return isInProcess(hook) && !hook.once && (kind === "callback" || kind === "session");
}

const admitted = new WeakMap<Selection, { settings: EffectiveSettings; depth: number; result: Selection }>();

/** Hooks that fire events whose hooks fire events must end somewhere. */
function tooDeep(_: ConfiguredHook, { depth }: FiringEvent): SkipRefusal | undefined {
  if (depth < maxHookDepth) return undefined;
  return { why: "recursion", detail: `hooks are nested ${depth} deep; the limit is ${maxHookDepth}` };
}

/** A guard that was approved and has changed since is not started and denies: a change must not switch it off. */
function failingIfChanged(hook: ConfiguredHook, { settings: { trust }, payload }: FiringEvent): ConfiguredHook {
  if (!isGuard(hook) || hook.fails !== undefined) return hook;
  const { state, detail, remedy = trust.howToApprove } = trust.ofHook(hook, String(payload["cwd"]));
  return state === "changed" ? { ...hook, fails: `${detail}; ${remedy}` } : hook;
}

/** What a checkout brings runs only when it was approved. */
function notTrusted(hook: ConfiguredHook, { settings: { trust }, payload }: FiringEvent): SkipRefusal | undefined {
  const { state, detail, remedy = trust.howToApprove } = trust.ofHook(hook, String(payload["cwd"]));
  if (state === "trusted" || (state === "changed" && hook.fails !== undefined)) return undefined;
  return { why: "trust", detail: `${detail}; ${remedy}. Claude Code runs it anyway` };
}

/** An agent's own hooks are for what happens inside it, a skill's for what happens after it was used. */
function outsideFrontmatter(hook: ConfiguredHook, event: FiringEvent): SkipRefusal | undefined {
  const { frontmatter, plugin } = hook.layer;
  if (frontmatter === undefined) return undefined;
  const { of, name } = frontmatter;
  if (of === "agent") {
    if (concerns(hook, name, event)) return undefined;
    return { why: "matcher", detail: `it runs inside the agent "${name}" only` };
  }
  // A skill is called by its folder; the name in its file may be another one.
  const called = [name, ...(plugin === undefined ? [] : [basename(plugin.root)])];
  const { skills } = event.services.sessions;
  if (called.some((one) => skills.has(String(event.payload["session_id"]), one))) return undefined;
  return { why: "matcher", detail: `it runs once the skill "${name}" was used in this session` };
}

/** Hooks of the agent that a session was started as concern all of the session, its other agents included. */
function concerns({ writtenFor }: ConfiguredHook, name: string, { payload, services }: FiringEvent): boolean {
  const { agentKind, startedAs } = services.options;
  const inside = payload["agent_type"] === name || agentKind?.(payload) === name;
  // Stop in the file, SubagentStop here: the end of this agent, not of the session or of agents that it starts.
  if (writtenFor !== undefined) return inside && payload["agent_id"] !== undefined;
  return inside || startedAs === name;
}

/** The event supports the type, and the host provides what the type needs. */
function notSupported(configured: ConfiguredHook, { services }: FiringEvent): SkipRefusal | undefined {
  const { hook, row, fails } = configured;
  if (fails !== undefined) return undefined;
  if (!row.types.includes(hook.type)) {
    return { why: "unsupported", detail: `${row.name} does not take ${hook.type} hooks` };
  }
  const missing = missingPort(hook.type, services.options.ports);
  // A guard that cannot be asked must not be passed over in silence: it runs, and fails.
  if (missing === undefined || isGuard(configured)) return undefined;
  return { why: "unsupported", detail: `${hook.type} hooks need ${missing}, which this host does not provide` };
}

function missingPort(type: HookType, { model, agent, mcp }: Ports): string | undefined {
  if (type === "prompt" && model === undefined) return "a model";
  if (type === "agent" && agent === undefined) return "an agent";
  if (type === "mcp_tool" && mcp === undefined) return "MCP servers";
  return undefined;
}

function alreadyRan({ ref, hook }: ConfiguredHook, { payload, services }: FiringEvent): SkipRefusal | undefined {
  if (!hook.once || !honorsOnce(ref.source)) return undefined;
  if (!services.sessions.ranOnce.has(String(payload["session_id"]), ref.id)) return undefined;
  return { why: "once", detail: "it has already run once in this session" };
}

/** Equal hooks run once: the first in configured order survives, in the strictest mode of all its copies. */
export function dropDuplicates(hooks: readonly ConfiguredHook[]): Selection {
  if (hooks.length < 2) return { hooks, skipped: [] };
  const kept = new Map<string, ConfiguredHook>();
  const skipped: Skip[] = [];
  hooks.forEach((hook, index) => {
    const key = identityOf(hook) ?? `only ${index}`;
    const first = kept.get(key);
    kept.set(key, first === undefined ? hook : strictestHook(first, hook));
    if (first === undefined) return;
    skipped.push({ hook: hook.ref, why: "duplicate", detail: `equal to ${first.ref.id}, which runs` });
  });
  return { hooks: [...kept.values()], skipped };
}
