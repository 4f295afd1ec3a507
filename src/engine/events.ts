import { randomUUID } from "node:crypto";
import { type EventRow, type Outcome, rowOf, type Warning } from "../protocol/index.ts";
import type { Gate } from "./admit.ts";
import type { ConfiguredHook } from "./configured.ts";
import { currentDepth } from "./depth.ts";
import { type Explanation, explainPlan } from "./explain.ts";
import { fireEvent, planEvent, quietOutcome } from "./fire.ts";
import type { RunStep, World } from "./firing.ts";
import { honoursOnce, onceGate, recursionGate, supportGate, trustGate } from "./gates.ts";
import type { LiveHooks } from "./live-hooks.ts";
import { matchedValue } from "./matcher.ts";
import { type AnyPayload, completePayload } from "./payload.ts";
import { environments, httpPolicyFor, policyGate } from "./policy.ts";
import type { ResolvedOptions } from "./resolve-options.ts";
import type { Occasion } from "./select.ts";
import type { Snapshot } from "./settings/index.ts";
import { type EventStep, streamSteps } from "./stream.ts";
import type { Trust } from "./trust.ts";
import { turns } from "./turns.ts";

export interface FireOptions {
  readonly signal?: AbortSignal;
  /** Awaits background hooks too and uses their answers. */
  readonly forceSync?: boolean;
}

/** The part of an engine that takes events. */
export interface Events {
  fire(event: string, payload: AnyPayload, options?: FireOptions): Promise<Outcome>;
  stream(event: string, payload: AnyPayload, options?: FireOptions): AsyncGenerator<EventStep, Outcome, void>;
  notify(event: string, payload: AnyPayload): void;
  explain(event: string, payload: AnyPayload): Explanation;
  hasHookFor(event: string): boolean;
}

export interface EventParts {
  readonly options: ResolvedOptions;
  snapshot(): Snapshot;
  readonly live: LiveHooks;
  readonly world: World;
  /** Warnings that came up between events, each told once. */
  takeWarnings(): readonly Warning[];
  /** What an outcome nobody waits for went wrong with. */
  onLost(error: unknown): void;
  readonly trust: Trust;
}

type Watched = FireOptions & { readonly onStep?: (step: RunStep) => void; readonly unawaited?: boolean };

export function openEvents({ options, snapshot, live, world, takeWarnings, onLost, trust }: EventParts): Events {
  const counted = turns();
  const once = new Set<string>();
  const ownSession = randomUUID();

  async function fire(event: string, given: AnyPayload, watched: Watched): Promise<Outcome> {
    const now = snapshot();
    const { row, payload, occasion, hooks, warnings } = prepare(event, given, now);
    if (hooks.length === 0) return note(row, payload, quietOutcome(row, warnings));
    const depth = currentDepth(options.env);
    const env = environments(now.effective, options);
    const outcome = await fireEvent({
      occasion,
      hooks,
      gates: gatesAt(depth, now),
      firing: {
        row,
        payload,
        occasion: occasion.value === undefined ? row.name : `${row.name}:${occasion.value}`,
        signal: watched.signal ?? never,
        depth,
        round: 1,
        forceSync: watched.forceSync ?? false,
        unawaited: watched.unawaited ?? false,
        environmentOf: env,
        httpPolicyOf: (hook) => httpPolicyFor(now.effective, hook),
        onStep: watched.onStep ?? ignore,
      },
      world,
      warnings,
      canDefer: options.canDefer,
      onConflict: now.effective.onConflict,
      turn: row.special.endsTurn ? { count: counted.count(payload), cap: options.stopBlockCap } : undefined,
      rejudge: options.rejudge,
      judge: world.ports.judge,
    });
    return note(row, payload, outcome);
  }

  function prepare(event: string, given: AnyPayload, now: Snapshot) {
    const row = rowOf(event, options.rows);
    const { payload, warnings } = completePayload(row, withTurn(row, given), {
      sessionId: ownSession,
      cwd: options.cwd,
      ...(options.olderFields ? { olderFields: { home: options.home } } : {}),
    });
    const fromFiles = now.byEvent.get(event) ?? none;
    const hooks = live.has(event) ? [...fromFiles, ...live.of(event, String(payload["session_id"]))] : fromFiles;
    const place = { cwd: String(payload["cwd"]), home: options.home, projectRoot: options.cwd };
    const occasion: Occasion = { row, payload, value: matchedValue(row.matchesOn, payload), place };
    return { row, payload, hooks, occasion, warnings: [...takeWarnings(), ...warnings] };
  }

  /** The host need not count: the engine knows whether a hook made the agent go on. */
  function withTurn(row: EventRow, given: AnyPayload): AnyPayload {
    if (!row.special.endsTurn || given["stop_hook_active"] !== undefined) return given;
    return { ...given, stop_hook_active: counted.count({ session_id: ownSession, ...given }) > 0 };
  }

  function gatesAt(depth: number, { effective }: Snapshot): readonly Gate[] {
    return [
      recursionGate(depth),
      policyGate(effective),
      trustGate(trust.ofHook),
      supportGate(world.ports),
      onceGate(once),
    ];
  }

  /** What an event leaves behind for the next one: counted continuations, hooks that ran their one time. */
  function note(row: EventRow, payload: AnyPayload, outcome: Outcome): Outcome {
    if (row.special.endsTurn) counted.note(payload, outcome);
    if (row.special.startsTurn) counted.begin(payload);
    const warnings: Warning[] = [];
    for (const record of outcome.runs) {
      if (record.answer?.failure !== undefined) continue;
      if (honoursOnce(record.hook.source)) once.add(record.hook.id);
      const warning = live.succeeded(record);
      if (warning !== undefined) warnings.push(warning);
    }
    return warnings.length === 0 ? outcome : { ...outcome, warnings: [...outcome.warnings, ...warnings] };
  }

  return {
    fire: (event, payload, watched = {}) => fire(event, payload, watched),
    stream: (event, payload, watched = {}) =>
      streamSteps((onStep, signal) => fire(event, payload, { ...watched, onStep, signal }), watched.signal),
    notify(event, payload) {
      rowOf(event, options.rows);
      fire(event, payload, { unawaited: true }).catch(onLost);
    },
    explain(event, given) {
      const now = snapshot();
      const { hooks, occasion, warnings } = prepare(event, given, now);
      const plan = planEvent({ hooks, occasion, gates: gatesAt(currentDepth(options.env), now) });
      return explainPlan(hooks, plan, occasion, warnings);
    },
    hasHookFor: (event) => snapshot().byEvent.has(event) || live.has(event),
  };
}

const none: readonly ConfiguredHook[] = [];
const never: AbortSignal = new AbortController().signal;
const ignore = (): void => undefined;
