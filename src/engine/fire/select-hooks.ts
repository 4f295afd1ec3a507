import { basename } from "node:path";
import type { FailurePolicy, Hook, HookType, Skip, ToolInput } from "../../protocol/internal.ts";
import { type EffectiveSettings, switchedOff, withUnusable } from "../live/effective-settings.ts";
import { matcherDetail, matches } from "../match/matcher.ts";
import type { Ports } from "../ports.ts";
import { type ConfiguredHook, honorsOnce, isBackground, isInProcess } from "../settings/layer.ts";
import type { FiringEvent } from "./fire.ts";
import { maxHookDepth } from "./hook-depth.ts";

export interface Selection {
  readonly hooks: readonly ConfiguredHook[];
  readonly skipped: readonly Skip[];
}

/** Which hooks of an event run, and why the others do not. Starts nothing. */
export function planEvent(event: FiringEvent): Selection {
  return admitHooks(selectHooks(event), event);
}

/** The hooks whose matcher and condition hold, in configured order. */
function selectHooks(event: FiringEvent): Selection {
  const matched = selectByMatcher(event.hooks, event.matched);
  if (matched.hooks.every(({ condition }) => condition === null)) return matched;
  const kept: ConfiguredHook[] = [];
  const skipped: Skip[] = [...matched.skipped];
  for (const hook of matched.hooks) {
    const skip = skipByCondition(hook, event);
    if (skip === undefined) kept.push(hook);
    else skipped.push(skip);
  }
  return { hooks: kept, skipped };
}

/** The same hooks are asked about the same few values again and again, so the answer is kept as long as the hooks are. */
export function selectByMatcher(hooks: readonly ConfiguredHook[], value: string | undefined): Selection {
  const answers = answered.get(hooks) ?? new Map<string | undefined, Selection>();
  answered.set(hooks, answers);
  const known = answers.get(value);
  if (known !== undefined) return known;
  const skips = hooks.map((hook) => skipByMatcher(hook, value));
  const selected: Selection = {
    hooks: hooks.filter((_, index) => skips[index] === undefined),
    skipped: skips.filter((skip) => skip !== undefined),
  };
  if (answers.size >= mostAnswers) answers.clear();
  if (value === undefined || value.length <= longestValue) answers.set(value, selected);
  return selected;
}

const answered = new WeakMap<readonly ConfiguredHook[], Map<string | undefined, Selection>>();
const mostAnswers = 256;
const longestValue = 256;

function skipByMatcher({ ref, matcher, row }: ConfiguredHook, value: string | undefined): Skip | undefined {
  if (row.matchesOn === null || matches(matcher, value)) return undefined;
  return { hook: ref, why: "matcher", detail: matcherDetail(matcher, value) };
}

function skipByCondition({ ref, condition, hook }: ConfiguredHook, event: FiringEvent): Skip | undefined {
  if (condition === null) return undefined;
  const rule = hook.if ?? "";
  if (!event.row.special.onTool) {
    return { hook: ref, why: "if", detail: `${event.row.name} has no tool that if "${rule}" could hold for` };
  }
  if (condition === "never")
    return { hook: ref, why: "if", detail: `if "${rule}" is not a permission rule and never holds` };
  const { tool_name: tool, tool_input: input, cwd } = event.payload;
  const { home, cwd: projectRoot } = event.services.options;
  const found = condition(String(tool), input as ToolInput, { cwd: String(cwd), home, projectRoot });
  return found === undefined ? undefined : { hook: ref, why: "if", detail: `if "${rule}" does not hold: ${found}` };
}

type SkipRefusal = Omit<Skip, "hook">;

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
  const passed: ConfiguredHook[] = [];
  const skipped: Skip[] = [...withUnusable(selection.skipped, settings, row.name)];
  for (const hook of selection.hooks) {
    const refusal = firstRefusal(hook, event);
    if (refusal === undefined) passed.push(hook);
    else skipped.push({ hook: hook.ref, ...refusal });
  }
  if (!selection.hooks.every(isSettledBeforehand)) {
    const distinct = dropDuplicates(passed);
    return { hooks: distinct.hooks, skipped: [...skipped, ...distinct.skipped] };
  }
  const result = { hooks: passed, skipped };
  admitted.set(selection, { settings, depth, result });
  return result;
}

/**
 * In-process hooks are never duplicates of each other and have no files that could change: the checks give the same result for the
 * same settings and depth.
 */
function isSettledBeforehand({ hook }: ConfiguredHook): boolean {
  return isInProcess(hook) && !hook.once;
}

const admitted = new WeakMap<Selection, { settings: EffectiveSettings; depth: number; result: Selection }>();

function firstRefusal(hook: ConfiguredHook, event: FiringEvent): SkipRefusal | undefined {
  for (const check of skipChecks) {
    const refusal = check(hook, event);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Hooks that fire events whose hooks fire events must end somewhere. */
function tooDeep(_: ConfiguredHook, { depth }: FiringEvent): SkipRefusal | undefined {
  if (depth < maxHookDepth) return undefined;
  return { why: "recursion", detail: `hooks are nested ${depth} deep; the limit is ${maxHookDepth}` };
}

/** What a checkout brings runs only when it was approved. */
function notTrusted(hook: ConfiguredHook, { settings: { trust }, payload }: FiringEvent): SkipRefusal | undefined {
  const { state, detail } = trust.ofHook(hook, String(payload["cwd"]));
  if (state === "trusted") return undefined;
  return {
    why: "trust",
    detail: `${state}: ${detail}; ${trust.howToApprove}; Claude Code runs it without this approval`,
  };
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
function concerns({ hook, row, layer }: ConfiguredHook, name: string, { payload, services }: FiringEvent): boolean {
  const { agentKind, startedAs } = services.options;
  const inside = payload["agent_type"] === name || agentKind?.(payload) === name;
  const written = layer.settings.hooks?.[row.name] ?? [];
  // Stop in the file, SubagentStop here: the end of this agent, not of the session or of agents that it starts.
  if (!written.some(({ hooks }) => hooks.some((one) => one === hook)))
    return inside && payload["agent_id"] !== undefined;
  return inside || startedAs === name;
}

/** The event supports the type, and the host provides what the type needs. */
function notSupported({ hook, row, onFailure }: ConfiguredHook, { services }: FiringEvent): SkipRefusal | undefined {
  if (!row.types.includes(hook.type)) {
    return { why: "unsupported", detail: `${row.name} does not take ${hook.type} hooks` };
  }
  const missing = missingPort(hook.type, services.options.ports);
  // A guard that cannot be asked must not be passed over in silence: it runs, and fails.
  if (missing === undefined || (onFailure === "block" && row.onFailure === "guard")) return undefined;
  return { why: "unsupported", detail: `${hook.type} hooks need ${missing}, which this host does not provide` };
}

function missingPort(type: HookType, { model, agent, mcp }: Ports): string | undefined {
  if (type === "prompt" && model === undefined) return "a model";
  if (type === "agent" && agent === undefined) return "an agent";
  if (type === "mcp_tool" && mcp === undefined) return "MCP servers";
  return undefined;
}

function alreadyRan({ ref, hook }: ConfiguredHook, { services }: FiringEvent): SkipRefusal | undefined {
  if (!hook.once || !honorsOnce(ref.source) || !services.sessions.ranOnce.has(ref.id)) return undefined;
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
    kept.set(key, first === undefined ? hook : strictest(first, hook));
    if (first === undefined) return;
    skipped.push({ hook: hook.ref, why: "duplicate", detail: `equal to ${first.ref.id}, which runs` });
  });
  return { hooks: [...kept.values()], skipped };
}

/** Worked out once: a configured hook never changes, and events come often. */
function identityOf(configured: ConfiguredHook): string | undefined {
  if (!identities.has(configured)) identities.set(configured, newIdentity(configured));
  return identities.get(configured);
}

const identities = new WeakMap<ConfiguredHook, string | undefined>();

/** What makes two hooks equal; undefined for in-process hooks, which never are. */
function newIdentity({ hook, layer }: ConfiguredHook): string | undefined {
  const work = workOf(hook);
  return work && JSON.stringify([layer.plugin?.root ?? "", hook.type, hook.if ?? "", work]);
}

function workOf(hook: Hook): readonly unknown[] | undefined {
  switch (hook.type) {
    case "command":
      return [hook.command, hook.args ?? null, hook.args === undefined ? (hook.shell ?? "bash") : ""];
    case "http":
      return [hook.url, Object.entries(hook.headers ?? {}).sort()];
    case "prompt":
      return [hook.prompt, hook.model ?? ""];
    case "agent":
      return [hook.prompt, hook.model ?? "", [...(hook.tools ?? [])].sort()];
    case "mcp_tool":
      return [hook.server, hook.tool, hook.input ?? {}];
    default:
      return undefined;
  }
}

function strictest(first: ConfiguredHook, copy: ConfiguredHook): ConfiguredHook {
  const onFailure: FailurePolicy = first.onFailure === "block" || copy.onFailure === "block" ? "block" : "continue";
  return { ...first, onFailure, hook: awaitedIfEither(first.hook, copy.hook) };
}

/** A copy that is awaited must not be replaced by one that is not. */
function awaitedIfEither(first: Hook, copy: Hook): Hook {
  if (first.type !== "command" || copy.type !== "command") return first;
  if (!isBackground(first) || isBackground(copy)) return first;
  const { async: _a, asyncRewake: _b, ...awaited } = first;
  return awaited;
}
