import { randomUUID } from "node:crypto";
import {
  type EventRow,
  eventRow,
  lazy,
  type Outcome,
  Problem,
  type RunRecord,
  type Warning,
} from "../../protocol/internal.ts";
import { checkFireOptions } from "../check-engine-options.ts";
import type { FireOptions } from "../engine-type.ts";
import { type EffectiveSettings, withUnusable } from "../live/effective-settings.ts";
import type { MemoryHooks } from "../live/memory-hooks.ts";
import { matcherValue } from "../match/matcher.ts";
import { type MaybeAsync, whenReady } from "../runners/run-limits.ts";
import type { Services } from "../services.ts";
import type { ConfiguredHook } from "../settings/layer.ts";
import { type Explanation, explainPlan } from "./explain.ts";
import { fireEvent } from "./fire.ts";
import type { FiringEvent } from "./firing-event.ts";
import { currentDepth, processDepth } from "./hook-depth.ts";
import { type EventStep, inFlight, streamSteps } from "./in-flight.ts";
import { type AnyPayload, checkPayload, completePayload } from "./payload.ts";
import type { FinishedRun } from "./record-run.ts";
import { planEvent, selectByMatcher } from "./select-hooks.ts";
import { policyFloor, quietOutcome } from "./settle.ts";

interface IntakeOptions {
  current(): EffectiveSettings;
  /** Reads approvals again if another process changed them; undefined when none did. Asked before every event. */
  refreshTrust(): Promise<void> | undefined;
  readonly live: MemoryHooks;
  readonly services: Services;
  /** Records that a hook ran and notifies the code that registered it. */
  ran(record: RunRecord, sessionId: string): Warning | undefined;
  /** Warnings from between events; each is returned once. */
  takeWarnings(): readonly Warning[];
  /** Receives the error of an event that is not awaited. */
  onLost(error: unknown): void;
}

type FoundHooks = Pick<FiringEvent, "row" | "matched" | "hooks" | "settings" | "warnings">;
type HowFired = Pick<FiringEvent, "signal" | "waitsFor"> &
  Partial<Pick<FiringEvent, "rewrittenFrom" | "onStep" | "progress">>;

/** The part of an engine that takes events. */
export function openEvents(parts: IntakeOptions) {
  const { current, refreshTrust, live, services, ran, takeWarnings, onLost } = parts;
  const { options, sessions } = services;
  const ownSession = randomUUID();
  const unawaited = new Set<Promise<unknown>>();
  const flights = inFlight();
  /** Read from the system when the first hook may run. */
  const outerDepth = lazy(() => processDepth(options.env));

  async function fire(
    name: string,
    given: AnyPayload,
    { signal, forceSync, rewrittenFrom, progress }: FireOptions,
    onStep?: FiringEvent["onStep"],
    awaited = true,
  ): Promise<Outcome> {
    if (signal?.aborted) throw signal.reason;
    const row = eventRow(name, options.rows);
    const trusting = refreshTrust();
    if (trusting !== undefined) await trusting;
    // In a loop: while this event waits, another hook may be registered.
    for (let waiting = live.ready(); waiting !== undefined; waiting = live.ready()) await waiting;
    const warnings = [...takeWarnings(), ...checkPayload(row, given)];
    const found = findHooks(row, given, warnings);
    const { hooks: concerned, skipped } = selectByMatcher(found.hooks, found.matched);
    // Most events have no matching hook: they only cost the check of the matchers.
    if (concerned.length === 0 && !row.special.endsTurn && policyFloor(row, found.settings) === undefined)
      return note(
        row,
        given,
        quietOutcome(row, { runs: noRuns, skipped: withUnusable(skipped, found.settings, row.name), warnings }),
      );
    const foreground = forceSync ? "all" : "foreground";
    const waitsFor = awaited ? foreground : "nothing";
    const begin = (signal: AbortSignal): MaybeAsync<Outcome> => {
      const event = eventOf(given, found, { signal, waitsFor, rewrittenFrom, onStep, progress });
      return whenReady(fireEvent(event), (outcome) => note(row, event.payload, outcome));
    };
    // A detached event that is not awaited may outlive the engine.
    return !awaited && row.awaited === "detached" ? begin(never) : flights.run(signal, begin);
  }

  function findHooks(row: EventRow, given: AnyPayload, warnings: readonly Warning[]): FoundHooks {
    const settings = current();
    return {
      row,
      matched: matcherValue(row.matchesOn, given),
      hooks: hooksOf(row.name, given, settings),
      settings,
      warnings,
    };
  }

  function eventOf(
    given: AnyPayload,
    { row, matched, hooks, settings, warnings }: FoundHooks,
    { signal, waitsFor, rewrittenFrom, onStep, progress }: HowFired,
  ): FiringEvent {
    const payload = completePayload(row, withTurn(row, given), ownSession, options);
    // One literal: a spread before so many fields makes an object that is several times slower.
    return {
      row,
      payload,
      matched,
      occasion: matched === undefined ? row.name : `${row.name}:${matched}`,
      round: 1,
      hooks,
      settings,
      services,
      signal,
      depth: currentDepth(outerDepth()),
      waitsFor,
      rewrittenFrom: row.special.onTool ? rewrittenFrom : undefined,
      stopBlocks: row.special.endsTurn
        ? { count: sessions.stopBlocks.count(payload), cap: options.stopBlockCap }
        : undefined,
      onStep,
      progress,
      warnings,
      copies: {},
    };
  }

  function sessionOf(payload: AnyPayload): string {
    return String(payload["session_id"] ?? ownSession);
  }

  function hooksOf(event: string, given: AnyPayload, now: EffectiveSettings): readonly ConfiguredHook[] {
    const fromFiles = now.byEvent.get(event) ?? none;
    if (!live.has(event)) return fromFiles;
    return live.appendTo(fromFiles, event, sessionOf(given), now.merged.managedOnFailure);
  }

  /** The host need not count: the engine knows whether a hook made the agent continue. */
  function withTurn(row: EventRow, given: AnyPayload): AnyPayload {
    if (!row.special.endsTurn || given["stop_hook_active"] !== undefined) return given;
    return { ...given, stop_hook_active: sessions.stopBlocks.count({ ...given, session_id: sessionOf(given) }) > 0 };
  }

  /** What an event leaves behind for the next one: counted continuations, hooks that ran. */
  function note(row: EventRow, payload: AnyPayload, outcome: Outcome): Outcome {
    if (row.special.endsTurn) noteTurn(payload, outcome);
    if (row.special.startsTurn) sessions.stopBlocks.begin(sessionOf(payload));
    if (outcome.runs.length === 0) return outcome;
    // What runs in the background has not ended yet, and reports for itself.
    const warnings = outcome.runs.flatMap((record) =>
      record.background ? [] : (ran(record, sessionOf(payload)) ?? []),
    );
    return warnings.length === 0 ? outcome : { ...outcome, warnings: [...outcome.warnings, ...warnings] };
  }

  function noteTurn(payload: AnyPayload, outcome: Outcome): void {
    sessions.stopBlocks.note(payload, outcome);
    const capped = outcome.warnings.find(({ code }) => code === "stop-cap");
    if (capped === undefined) return;
    services.tell({ kind: "stop-cap", sessionId: String(payload["session_id"]), reason: capped.message });
  }

  return {
    async fire(name: string, payload: AnyPayload, how: FireOptions = noOptions): Promise<Outcome> {
      if (how !== noOptions) checkFireOptions(how);
      return fire(name, payload, how);
    },
    stream(name: string, payload: AnyPayload, how: FireOptions = noOptions): AsyncGenerator<EventStep, Outcome, void> {
      checkFireOptions(how, "stream");
      return streamSteps((onStep, signal) => fire(name, payload, { ...how, signal }, onStep), how.signal);
    },
    notify(name: string, payload: AnyPayload): void {
      eventRow(name, options.rows);
      const starting = fire(name, payload, noOptions, undefined, false)
        .catch(onLost)
        .finally(() => unawaited.delete(starting));
      unawaited.add(starting);
    },
    /** Ends the events that are being fired, after `waitMs` of grace; they reject as `engine/closed`. Resolves when none is left. */
    close(waitMs: number): Promise<void> {
      const reason = new Problem("engine/closed", "The engine was closed while this event was being fired.");
      return flights.close(waitMs, reason, [...unawaited]);
    },
    explain(name: string, given: AnyPayload): Explanation {
      const row = eventRow(name, options.rows);
      const found = findHooks(row, given, checkPayload(row, given));
      const event = eventOf(given, found, { signal: never, waitsFor: "foreground" });
      return explainPlan(event, planEvent(event));
    },
    hasHookFor(name: string): boolean {
      const row = eventRow(name, options.rows);
      const settings = current();
      if (settings.byEvent.has(name) || live.has(name)) return true;
      // Even without hooks the event must fire when policy requires a question.
      return policyFloor(row, settings) !== undefined;
    },
  };
}

const none: readonly ConfiguredHook[] = [];
const noRuns: readonly FinishedRun[] = [];
const noOptions: FireOptions = {};
const never: AbortSignal = new AbortController().signal;
