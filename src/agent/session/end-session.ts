import { setTimeout as sleep } from "node:timers/promises";
import { endLeftovers, findLeftovers, runTag } from "../../exec/internal.ts";
import { isFailedRun } from "../turn/attachments.ts";
import { fireAndHold } from "../turn/fire-event.ts";
import type { AgentSession, AgentThread } from "./agent-session.ts";

/** Leaves the process some of the two seconds for its exit, which takes longer on a busy machine. */
const endWithinMs = 1_860;
/** The minimum for the steps after the hooks. */
const afterHooksMs = 400;
/** Kept for killing leftover processes and writing files: turns, hooks and servers must end before it. */
const reserveMs = 100;
const filesReserveMs = 40;

/** The end of a session, which may begin while a turn runs. */
export function openSessionEnd(main: AgentThread, time?: Time) {
  const { session } = main;
  const { engine, subagents, shells, workspace, registry } = session;
  let begun: { readonly left: TimeLeft; readonly work: Promise<unknown> } | undefined;
  let giveUp: () => void = () => undefined;
  const overdue = new Promise<undefined>((resolve) => {
    giveUp = () => resolve(undefined);
  });
  let turnIsOver: () => void = () => undefined;
  const turn = new Promise<void>((resolve) => {
    turnIsOver = resolve;
  });

  function start(reason: string): { left: TimeLeft; work: Promise<unknown> } {
    if (begun !== undefined) return begun;
    const hooksMs = engine.budgetMs("SessionEnd") ?? 0;
    const left = openTimeLeft(Math.max(endWithinMs, hooksMs + afterHooksMs), time);
    const work = Promise.all([fireSessionEnd(main, reason), subagents.killAll(), shells.endAll()]);
    begun = { left, work };
    return begun;
  }

  return {
    /** Starts the end: fires SessionEnd, stops background work and starts the clock. */
    begin(reason: string): void {
      if (begun !== undefined) return;
      const { left } = start(reason);
      void left.waitFor(turn, reserveMs).then(giveUp);
    },
    /** Resolves when the current turn has not ended in time. */
    overdue,
    /**
     * Waits for hooks, subagents and commands, then closes servers, the registry entry and the transcript.
     * Contract: resolves within two seconds after `begin`, or half a second after the budget of SessionEnd hooks if that is longer.
     * Processes that did not end in time are killed. Never rejects because of a hook; its stderr is reported.
     */
    async finish(reason: string): Promise<void> {
      turnIsOver();
      const { left, work } = start(reason);
      const inTime = [
        await left.waitFor(work, reserveMs),
        await left.waitFor(Promise.resolve(session.servers?.close()), reserveMs),
        await left.waitFor(workspace.end(), reserveMs),
        await left.waitFor(engine.close({ waitMs: hookGraceMs(session, left) }), reserveMs),
      ];
      // A turn that did not end in time may have started more processes.
      if (session.signal.aborted || inTime.includes(false)) await left.waitFor(killLeftovers(session), filesReserveMs);
      await left.waitFor(shells.clearFolders(), filesReserveMs / 2);
      await left.waitFor(registry.remove(), filesReserveMs / 2);
      await left.waitFor(session.record.close());
    },
  };
}

/** Background hooks may finish, except after a signal. */
function hookGraceMs({ signal }: AgentSession, left: TimeLeft): number {
  return signal.aborted ? 0 : Math.max(0, Math.min(1_000, left.leftMs() - 2 * reserveMs));
}

/** Kills every process with the session's tag; only background commands if a background hook may outlive the session. */
async function killLeftovers({ options, engine, shells }: AgentSession): Promise<void> {
  const hookOutlivesSession = engine.background.list().some(({ state }) => state === "running");
  if (hookOutlivesSession) await shells.endAll();
  else endLeftovers(await findLeftovers(runTag, `${options.env[runTag]}/`));
}

/** Fires SessionEnd and reports the hooks that failed. */
export async function fireSessionEnd(main: AgentThread, reason: string): Promise<void> {
  const { outcome } = await fireAndHold(main, "SessionEnd", { reason });
  for (const { hook, answer, stderr } of outcome.runs.filter(isFailedRun)) {
    const why = stderr.trim() || answer?.failure || "no stderr output";
    main.session.notice(`SessionEnd hook [${hook.name}] failed: ${why}`, "error");
  }
}

/** The source of time. */
export interface Time {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

type TimeLeft = ReturnType<typeof openTimeLeft>;

/** A time limit that consecutive steps share. */
export function openTimeLeft(totalMs: number, time: Time = realTime) {
  const endsAt = time.now() + totalMs;
  const leftMs = (): number => Math.max(0, endsAt - time.now());
  return {
    leftMs,
    /** Waits for the work until `reserveMs` are left. Returns false when it did not finish; its later result or error is ignored. */
    async waitFor(work: Promise<unknown>, reserveMs = 0): Promise<boolean> {
      const settled = new AbortController();
      // Work that is already finished counts as finished, even when no time is left.
      const timedOut = time.sleep(Math.max(0, leftMs() - reserveMs), settled.signal).then(() => false);
      try {
        return await Promise.race([work.then(() => true), timedOut]);
      } finally {
        settled.abort();
      }
    },
  };
}

const realTime: Time = {
  now: () => performance.now(),
  async sleep(ms, signal) {
    // Aborted: the caller no longer waits.
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  },
};
