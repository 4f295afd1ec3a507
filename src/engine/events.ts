import { randomUUID } from "node:crypto";
import {
  type EventRow,
  type Outcome,
  Problem,
  type RunRecord,
  rowOf,
  type Verdict,
  type Warning,
} from "../protocol/index.ts";
import type { Gate } from "./admit.ts";
import type { Place } from "./conditions.ts";
import type { ConfiguredHook } from "./configured.ts";
import { currentDepth, processDepth } from "./depth.ts";
import { type Explanation, explainPlan } from "./explain.ts";
import { fireEvent, planEvent } from "./fire.ts";
import { checkFireOptions, type FireOptions } from "./fire-options.ts";
import type { RunStep } from "./firing.ts";
import { frontmatterGate, onceGate, recursionGate, supportGate, trustGate } from "./gates.ts";
import { guardsToolCalls } from "./guards.ts";
import { inFlight } from "./in-flight.ts";
import type { InForce } from "./in-force.ts";
import type { LiveHooks } from "./live-hooks.ts";
import { matchedValue } from "./matcher.ts";
import { type AnyPayload, checkPayload, completePayload } from "./payload.ts";
import { environments, httpPolicyFor, policyGate } from "./policy.ts";
import type { Judge } from "./ports.ts";
import { type Occasion, selectByMatcher } from "./select.ts";
import { quietOutcome, type SettledRun } from "./settle/settle.ts";
import { type Soon, soon } from "./soon.ts";
import { type EventStep, streamSteps } from "./stream.ts";
import { startTrust } from "./trust/unchanged.ts";
import type { Services } from "./world.ts";

/** The part of an engine that takes events. */
export interface Events {
  fire(event: string, payload: AnyPayload, options?: FireOptions): Promise<Outcome>;
  stream(event: string, payload: AnyPayload, options?: FireOptions): AsyncGenerator<EventStep, Outcome, void>;
  notify(event: string, payload: AnyPayload): void;
  explain(event: string, payload: AnyPayload): Explanation;
  hasHookFor(event: string): boolean;
  /** Ends the events that are being fired, after `waitMs` of grace; they reject as `engine/closed`. Resolves when none is left. */
  close(waitMs: number): Promise<void>;
}

export interface EventParts {
  inForce(): InForce;
  /** Reads approvals again if another process changed them; undefined when none did. Asked before every event. */
  trustAgain(): Promise<void> | undefined;
  readonly live: LiveHooks;
  readonly services: Services;
  /** Notes that a hook ran, and tells whoever registered it. */
  ran(record: RunRecord): Warning | undefined;
  /** Warnings that came up between events, each told once. */
  takeWarnings(): readonly Warning[];
  /** What an outcome nobody waits for went wrong with. */
  onLost(error: unknown): void;
}

type Watched = FireOptions & { readonly onStep?: (step: RunStep) => void; readonly unawaited?: boolean };

export function openEvents(parts: EventParts): Events {
  const { inForce, trustAgain, live, services, ran, takeWarnings, onLost } = parts;
  const { options, sessions } = services;
  const counted = sessions.stopBlocks;
  const ownSession = randomUUID();
  const unawaited = new Set<Promise<unknown>>();
  const flights = inFlight();
  let outerDepth: number | undefined;
  let lastGates: { now: InForce; depth: number; gates: readonly Gate[] } | undefined;

  async function fire(event: string, given: AnyPayload, watched: Watched): Promise<Outcome> {
    if (watched.signal?.aborted) throw watched.signal.reason;
    const row = rowOf(event, options.rows);
    let warnings = told(checkPayload(row, given));
    const trusting = trustAgain();
    if (trusting !== undefined) await trusting;
    const now = inForce();
    const hooks = hooksOf(event, given, now);
    const value = matchedValue(row.matchesOn, given);
    const matched = selectByMatcher(hooks, value);
    // Most events concern nobody: they cost a look at the matchers and nothing else.
    if (matched.hooks.length === 0 && !row.special.endsTurn && floorOf(row, now) === undefined)
      return note(row, given, quietOutcome(row, { runs: noRuns, skipped: matched.skipped, warnings }));
    const loading = live.ready();
    if (loading !== undefined) {
      await loading;
      warnings = [...warnings, ...takeWarnings()];
    }
    const begin = (signal: AbortSignal) => fireMatched(row, given, now, hooks, value, warnings, { ...watched, signal });
    // What nobody waits for and nothing ends outlives the engine.
    if (watched.unawaited && row.awaited === "detached") return begin(never);
    return flights.run(watched.signal, begin);
  }

  function fireMatched(
    row: EventRow,
    given: AnyPayload,
    now: InForce,
    hooks: readonly ConfiguredHook[],
    value: string | undefined,
    warnings: readonly Warning[],
    watched: Watched & { readonly signal: AbortSignal },
  ): Soon<Outcome> {
    const payload = complete(row, given);
    const depth = depthNow();
    const outcome = fireEvent({
      occasion: { row, payload, value, place: placeOf(payload) },
      hooks,
      gates: gatesAt(depth, now),
      firing: {
        row,
        payload,
        occasion: value === undefined ? row.name : `${row.name}:${value}`,
        signal: watched.signal,
        depth,
        round: 1,
        forceSync: watched.forceSync ?? false,
        unawaited: watched.unawaited ?? false,
        copies: {},
        environmentOf: environments(now, options),
        httpPolicyOf: (hook) => httpPolicyFor(now, hook),
        startTrust: (hook) => startTrust(now.trust.ofHook(hook, String(payload["cwd"]))),
        onStep: watched.onStep,
        progress: watched.progress,
      },
      services,
      warnings,
      canDefer: options.canDefer,
      onConflict: now.effective.onConflict,
      turn: row.special.endsTurn ? { count: counted.count(payload), cap: options.stopBlockCap } : undefined,
      rejudge: options.rejudge,
      judge: () => judgeOf(now),
      judgeTimeoutMs: options.judgeTimeoutMs,
      beside: floorOf(row, now),
      rewrittenFrom: row.special.onTool ? watched.rewrittenFrom : undefined,
    });
    return soon(outcome, (settled) => note(row, payload, settled));
  }

  /** Where this process is takes a look at the system, so it is found out when the first hook may run. */
  function depthNow(): number {
    outerDepth ??= processDepth(options.env);
    return currentDepth(outerDepth);
  }

  /** The host's own rules, else those of the settings; reading those costs more than most events. */
  async function judgeOf(now: InForce): Promise<Judge> {
    const { judge } = options.ports;
    return judge ?? (await import("./rules.ts")).judgeByRules(now, options);
  }

  function told(warnings: readonly Warning[]): readonly Warning[] {
    const waiting = takeWarnings();
    return waiting.length === 0 ? warnings : [...waiting, ...warnings];
  }

  function hooksOf(event: string, given: AnyPayload, now: InForce): readonly ConfiguredHook[] {
    const fromFiles = now.byEvent.get(event) ?? none;
    if (!live.has(event)) return fromFiles;
    return live.behind(fromFiles, event, String(given["session_id"] ?? ownSession), now.effective.managedOnFailure);
  }

  function complete(row: EventRow, given: AnyPayload): AnyPayload {
    return completePayload(row, withTurn(row, given), {
      sessionId: ownSession,
      cwd: options.cwd,
      ...(options.olderFields ? { olderFields: { home: options.home } } : {}),
    });
  }

  function placeOf(payload: AnyPayload): Place {
    return { cwd: String(payload["cwd"]), home: options.home, projectRoot: options.cwd };
  }

  /** The host need not count: the engine knows whether a hook made the agent go on. */
  function withTurn(row: EventRow, given: AnyPayload): AnyPayload {
    if (!row.special.endsTurn || given["stop_hook_active"] !== undefined) return given;
    return { ...given, stop_hook_active: counted.count({ session_id: ownSession, ...given }) > 0 };
  }

  /** Gates depend on the snapshot and the depth alone, so one event's serve the next. */
  function gatesAt(depth: number, now: InForce): readonly Gate[] {
    if (lastGates?.now === now && lastGates.depth === depth) return lastGates.gates;
    const gates = [
      recursionGate(depth),
      policyGate(now),
      trustGate(now.trust),
      frontmatterGate(sessions.skills, options),
      supportGate(options.ports),
      onceGate(sessions.ranOnce),
    ];
    lastGates = { now, depth, gates };
    return gates;
  }

  /** What an event leaves behind for the next one: counted continuations, hooks that ran. */
  function note(row: EventRow, payload: AnyPayload, outcome: Outcome): Outcome {
    if (row.special.endsTurn) noteTurn(payload, outcome);
    if (row.special.startsTurn) counted.begin(payload);
    if (outcome.runs.length === 0) return outcome;
    const warnings: Warning[] = [];
    for (const record of outcome.runs) {
      // What runs in the background has not ended yet, and reports for itself.
      const warning = record.background ? undefined : ran(record);
      if (warning !== undefined) warnings.push(warning);
    }
    return warnings.length === 0 ? outcome : { ...outcome, warnings: [...outcome.warnings, ...warnings] };
  }

  function noteTurn(payload: AnyPayload, outcome: Outcome): void {
    counted.note(payload, outcome);
    const capped = outcome.warnings.find(({ code }) => code === "stop-cap");
    if (capped === undefined) return;
    services.tell({ kind: "stop-cap", sessionId: String(payload["session_id"]), reason: capped.message });
  }

  return {
    async fire(event, payload, watched = nothingSaid) {
      checkFireOptions(watched);
      return fire(event, payload, watched);
    },
    stream(event, payload, watched = nothingSaid) {
      checkFireOptions(watched);
      return streamSteps((onStep, signal) => fire(event, payload, { ...watched, onStep, signal }), watched.signal);
    },
    notify(event, payload) {
      rowOf(event, options.rows);
      const starting = fire(event, payload, { unawaited: true })
        .catch(onLost)
        .finally(() => unawaited.delete(starting));
      unawaited.add(starting);
    },
    close: (waitMs) =>
      flights.close(waitMs, new Problem("engine/closed", "The engine was closed while this event was being fired."), [
        ...unawaited,
      ]),
    explain(event, given) {
      const row = rowOf(event, options.rows);
      const warnings = checkPayload(row, given);
      const now = inForce();
      const payload = complete(row, given);
      const hooks = hooksOf(event, payload, now);
      const occasion: Occasion = { row, payload, value: matchedValue(row.matchesOn, payload), place: placeOf(payload) };
      const plan = planEvent({ hooks, occasion, gates: gatesAt(depthNow(), now) });
      return explainPlan(hooks, plan, occasion, warnings);
    },
    hasHookFor(event) {
      const now = inForce();
      if (now.byEvent.has(event) || live.has(event)) return true;
      // Without a hook too, what policy wants asked about must be fired.
      const row = Object.hasOwn(options.rows, event) ? options.rows[event] : undefined;
      return row !== undefined && floorOf(row, now) !== undefined;
    },
  };
}

/** While policy is not whole, what it might have refused is at least asked about. */
function floorOf(row: EventRow, { effective }: InForce): Verdict | undefined {
  if (effective.managedDamage === undefined || !guardsToolCalls(row)) return undefined;
  return { kind: "ask", reason: effective.managedDamage };
}

const none: readonly ConfiguredHook[] = [];
const noRuns: readonly SettledRun[] = [];
const nothingSaid: FireOptions = {};
const never: AbortSignal = new AbortController().signal;
