import { randomUUID } from "node:crypto";
import {
  type EventRow,
  eventRow,
  type Outcome,
  Problem,
  type RunRecord,
  type Warning,
} from "../../protocol/internal.ts";
import { checkFireOptions } from "../check-engine-options.ts";
import type { FireOptions, RunStep } from "../engine-type.ts";
import type { MemoryHooks } from "../live/memory-hooks.ts";
import { matcherValue } from "../match/matcher.ts";
import { type MaybeAsync, whenReady } from "../runners/run-limits.ts";
import type { Services } from "../services.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import type { EffectiveSettings } from "../settings/snapshot.ts";
import { type Explanation, explainPlan } from "./explain.ts";
import { fireEvent, type HookEvent, planEvent } from "./fire.ts";
import { currentDepth, processDepth } from "./hook-depth.ts";
import { type EventStep, inFlight, streamSteps } from "./in-flight.ts";
import { type AnyPayload, checkPayload, completePayload } from "./payload.ts";
import type { FinishedRun } from "./record-run.ts";
import { selectByMatcher } from "./select.ts";
import { policyFloor, quietOutcome, type StopBlocks } from "./settle.ts";

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
  inForce(): EffectiveSettings;
  /** Reads approvals again if another process changed them; undefined when none did. Asked before every event. */
  trustAgain(): Promise<void> | undefined;
  readonly live: MemoryHooks;
  readonly services: Services;
  /** Records that a hook ran and notifies the code that registered it. */
  ran(record: RunRecord): Warning | undefined;
  /** Warnings from between events; each is returned once. */
  takeWarnings(): readonly Warning[];
  /** Receives the error of an event that is not awaited. */
  onLost(error: unknown): void;
}

type OnStep = (step: RunStep) => void;
type FoundHooks = Pick<HookEvent, "row" | "matched" | "hooks" | "settings" | "warnings">;
type HowFired = Pick<HookEvent, "signal" | "waitsFor"> &
  Partial<Pick<HookEvent, "rewrittenFrom" | "onStep" | "progress">>;

export function openEvents(parts: EventParts): Events {
  const { inForce, trustAgain, live, services, ran, takeWarnings, onLost } = parts;
  const { options, sessions } = services;
  const ownSession = randomUUID();
  const unawaited = new Set<Promise<unknown>>();
  const flights = inFlight();
  let outerDepth: number | undefined;

  async function fire(
    name: string,
    given: AnyPayload,
    how: FireOptions,
    step?: OnStep,
    awaited = true,
  ): Promise<Outcome> {
    if (how.signal?.aborted) throw how.signal.reason;
    const row = eventRow(name, options.rows);
    const warnings = withWaiting(checkPayload(row, given));
    const trusting = trustAgain();
    if (trusting !== undefined) await trusting;
    const settings = inForce();
    const hooks = hooksOf(name, given, settings);
    const matched = matcherValue(row.matchesOn, given);
    const { hooks: concerned, skipped } = selectByMatcher(hooks, matched);
    // Most events have no matching hook: they only cost the check of the matchers.
    if (concerned.length === 0 && !row.special.endsTurn && policyFloor(row, settings) === undefined)
      return note(row, given, quietOutcome(row, { runs: noRuns, skipped, warnings }));
    const loading = live.ready();
    if (loading !== undefined) await loading;
    const found = {
      row,
      matched,
      hooks,
      settings,
      warnings: loading === undefined ? warnings : [...warnings, ...takeWarnings()],
    };
    return fireFound(given, found, how, step, awaited);
  }

  function fireFound(
    given: AnyPayload,
    found: FoundHooks,
    { signal, forceSync, rewrittenFrom, progress }: FireOptions,
    onStep: OnStep | undefined,
    awaited: boolean,
  ): MaybeAsync<Outcome> {
    const waitsFor = awaited ? (forceSync ? "all" : "foreground") : "nothing";
    const begin = (signal: AbortSignal): MaybeAsync<Outcome> => {
      const event = eventOf(given, found, { signal, waitsFor, rewrittenFrom, onStep, progress });
      return whenReady(fireEvent(event), (outcome) => note(event.row, event.payload, outcome));
    };
    // What the host does not wait for and nothing ends outlives the engine.
    if (!awaited && found.row.awaited === "detached") return begin(never);
    return flights.run(signal, begin);
  }

  function eventOf(
    given: AnyPayload,
    { row, matched, hooks, settings, warnings }: FoundHooks,
    { signal, waitsFor, rewrittenFrom, onStep, progress }: HowFired,
  ): HookEvent {
    const payload = complete(row, given);
    return {
      row,
      payload,
      matched,
      label: matched === undefined ? row.name : `${row.name}:${matched}`,
      round: 1,
      hooks,
      settings,
      services,
      signal,
      depth: depthNow(),
      waitsFor,
      rewrittenFrom: row.special.onTool ? rewrittenFrom : undefined,
      stopBlocks: stopBlocksOf(row, payload),
      onStep,
      progress,
      warnings,
      copies: {},
    };
  }

  /** Read from the system when the first hook may run. */
  function depthNow(): number {
    outerDepth ??= processDepth(options.env);
    return currentDepth(outerDepth);
  }

  function withWaiting(warnings: readonly Warning[]): readonly Warning[] {
    const waiting = takeWarnings();
    return waiting.length === 0 ? warnings : [...waiting, ...warnings];
  }

  function hooksOf(event: string, given: AnyPayload, now: EffectiveSettings): readonly ConfiguredHook[] {
    const fromFiles = now.byEvent.get(event) ?? none;
    if (!live.has(event)) return fromFiles;
    return live.appendTo(fromFiles, event, String(given["session_id"] ?? ownSession), now.merged.managedOnFailure);
  }

  function complete(row: EventRow, given: AnyPayload): AnyPayload {
    return completePayload(row, withTurn(row, given), {
      sessionId: ownSession,
      cwd: options.cwd,
      ...(options.olderFields ? { olderFields: { home: options.home } } : {}),
    });
  }

  /** The host need not count: the engine knows whether a hook made the agent continue. */
  function withTurn(row: EventRow, given: AnyPayload): AnyPayload {
    if (!row.special.endsTurn || given["stop_hook_active"] !== undefined) return given;
    return { ...given, stop_hook_active: sessions.stopBlocks.count({ session_id: ownSession, ...given }) > 0 };
  }

  function stopBlocksOf(row: EventRow, payload: AnyPayload): StopBlocks | undefined {
    if (!row.special.endsTurn) return undefined;
    return { count: sessions.stopBlocks.count(payload), cap: options.stopBlockCap };
  }

  /** What an event leaves behind for the next one: counted continuations, hooks that ran. */
  function note(row: EventRow, payload: AnyPayload, outcome: Outcome): Outcome {
    if (row.special.endsTurn) noteTurn(payload, outcome);
    if (row.special.startsTurn) sessions.stopBlocks.begin(payload);
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
    sessions.stopBlocks.note(payload, outcome);
    const capped = outcome.warnings.find(({ code }) => code === "stop-cap");
    if (capped === undefined) return;
    services.tell({ kind: "stop-cap", sessionId: String(payload["session_id"]), reason: capped.message });
  }

  return {
    async fire(name, payload, how = noOptions) {
      checkFireOptions(how);
      return fire(name, payload, how);
    },
    stream(name, payload, how = noOptions) {
      checkFireOptions(how);
      return streamSteps((onStep, signal) => fire(name, payload, { ...how, signal }, onStep), how.signal);
    },
    notify(name, payload) {
      eventRow(name, options.rows);
      const starting = fire(name, payload, noOptions, undefined, false)
        .catch(onLost)
        .finally(() => unawaited.delete(starting));
      unawaited.add(starting);
    },
    close: (waitMs) =>
      flights.close(waitMs, new Problem("engine/closed", "The engine was closed while this event was being fired."), [
        ...unawaited,
      ]),
    explain(name, given) {
      const row = eventRow(name, options.rows);
      const warnings = checkPayload(row, given);
      const settings = inForce();
      const matched = matcherValue(row.matchesOn, given);
      const hooks = hooksOf(name, given, settings);
      const event = eventOf(
        given,
        { row, matched, hooks, settings, warnings },
        { signal: never, waitsFor: "foreground" },
      );
      return explainPlan(event, planEvent(event));
    },
    hasHookFor(name) {
      const settings = inForce();
      if (settings.byEvent.has(name) || live.has(name)) return true;
      // Without a hook too, what policy wants asked about must be fired.
      const row = Object.hasOwn(options.rows, name) ? options.rows[name] : undefined;
      return row !== undefined && policyFloor(row, settings) !== undefined;
    },
  };
}

const none: readonly ConfiguredHook[] = [];
const noRuns: readonly FinishedRun[] = [];
const noOptions: FireOptions = {};
const never: AbortSignal = new AbortController().signal;
