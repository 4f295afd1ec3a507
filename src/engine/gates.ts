import { basename } from "node:path";
import type { HookType } from "../protocol/index.ts";
import type { Gate } from "./admit.ts";
import type { ConfiguredHook } from "./configured.ts";
import { deepest } from "./depth.ts";
import type { AnyPayload } from "./payload.ts";
import type { Ports } from "./ports.ts";
import type { ResolvedOptions } from "./resolve-options.ts";
import type { Trust } from "./trust/trust.ts";
import type { SkillsInUse } from "./turns.ts";

/** Hooks inside hooks inside hooks: somewhere it has to end. */
export function recursionGate(depth: number): Gate {
  return () =>
    depth < deepest ? undefined : { why: "recursion", detail: `fired ${depth} hooks deep; ${deepest} is the most` };
}

/** What a checkout brings runs only when somebody has looked at it. */
export function trustGate(trust: Trust): Gate {
  return (hook, { place }) => {
    const { state, detail } = trust.ofHook(hook, place.cwd);
    if (state === "trusted") return undefined;
    return { why: "trust", detail: `${state}: ${detail}; ${trust.wayOut}; Claude Code runs it without this approval` };
  };
}

/** An agent's own hooks are for what happens inside it, a skill's for what happens after it was used. */
export function frontmatterGate(skills: SkillsInUse, agents: Agents = {}): Gate {
  return (hook, { payload }) => {
    const { frontmatter, plugin } = hook.layer;
    if (frontmatter === undefined) return undefined;
    const { of, name } = frontmatter;
    if (of === "agent") {
      if (concerns(hook, name, payload, agents)) return undefined;
      return { why: "matcher", detail: `it runs inside the agent "${name}" only` };
    }
    // A skill is called by its folder; the name in its file may be another one.
    const called = [name, ...(plugin === undefined ? [] : [basename(plugin.root)])];
    if (called.some((one) => skills.has(String(payload["session_id"]), one))) return undefined;
    return { why: "matcher", detail: `it runs once the skill "${name}" was used in this session` };
  };
}

type Agents = Pick<ResolvedOptions, "agentKind" | "startedAs">;

/** Hooks of the agent that a session was started as concern all of the session, its other agents included. */
function concerns(
  { hook, row, layer }: ConfiguredHook,
  name: string,
  payload: AnyPayload,
  { agentKind, startedAs }: Agents,
): boolean {
  const inside = payload["agent_type"] === name || agentKind?.(payload) === name;
  const written = layer.settings.hooks?.[row.name] ?? [];
  // Stop in the file, SubagentStop here: the end of this agent, not of the session or of agents that it starts.
  if (!written.some(({ hooks }) => hooks.some((one) => one === hook)))
    return inside && payload["agent_id"] !== undefined;
  return inside || startedAs === name;
}

/** The event takes the type, and the host lends what the type needs. */
export function supportGate(ports: Ports): Gate {
  return ({ hook, row, onFailure }) => {
    if (!row.types.includes(hook.type)) {
      return { why: "unsupported", detail: `${row.name} does not take ${hook.type} hooks` };
    }
    const missing = missingPort(hook.type, ports);
    // A guard that cannot be asked must not be passed over in silence: it runs, and fails.
    if (missing === undefined || (onFailure === "block" && row.onFailure === "guard")) return undefined;
    return { why: "unsupported", detail: `${hook.type} hooks need ${missing}, which this host does not lend` };
  };
}

function missingPort(type: HookType, { model, agent, mcp }: Ports): string | undefined {
  if (type === "prompt" && model === undefined) return "a model";
  if (type === "agent" && agent === undefined) return "an agent";
  if (type === "mcp_tool" && mcp === undefined) return "MCP servers";
  return undefined;
}

export function onceGate(done: ReadonlySet<string>): Gate {
  return ({ ref, hook }) => {
    if (!hook.once || !honoursOnce(ref.source) || !done.has(ref.id)) return undefined;
    return { why: "once", detail: "it has already run once in this session" };
  };
}

export function honoursOnce(source: ConfiguredHook["layer"]["kind"]): boolean {
  return source === "skill" || source === "session";
}
