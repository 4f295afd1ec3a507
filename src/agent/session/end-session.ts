import { setTimeout as sleep } from "node:timers/promises";
import { endLeftovers, findLeftovers, runTag } from "../../exec/internal.ts";
import { fireAndHold } from "../turn/fire-event.ts";
import type { AgentSession, AgentThread } from "./agent-session.ts";

/** The end of a session, which can be asked for while a turn runs. */
export interface SessionEnd {
  /** Starts the end: SessionEnd hooks run, background work is stopped, and the clock starts. */
  begin(reason: string): void;
  /** Resolves when a turn that does not end is not to be waited for any more. */
  readonly overdue: Promise<undefined>;
  /**
   * Everything else, in order: what hooks, subagents and commands need to end, servers, the registry, the transcript.
   * Contract: over two seconds after `begin`, or half a second after what SessionEnd hooks were given if that is more, whatever still
   * runs; what did not end in time was killed. Never rejects for what hooks do; their stderr is reported.
   */
  finish(reason: string): Promise<void>;
}

/** Of the two seconds, some are left for the process to leave: a busy machine lets it wait for each step. */
const endWithinMs = 1_860;
/** What the steps after the hooks have at least. */
const afterHooksMs = 400;
/** What is kept for killing what is left and for the files: a turn, hooks and servers are not waited for into it. */
const reserveMs = 100;
const filesReserveMs = 40;

export function openSessionEnd(main: AgentThread, time?: Time): SessionEnd {
  const { session } = main;
  const { engine, subagents, shells, workspace, registry } = session;
  let begun: { readonly left: TimeLeft; readonly work: Promise<unknown> } | undefined;
  let giveUp: () => void = () => undefined;
  const overdue = new Promise<undefined>((done) => {
    giveUp = () => done(undefined);
  });
  let turnIsOver: () => void = () => undefined;
  const turn = new Promise<void>((done) => {
    turnIsOver = done;
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
    begin(reason) {
      if (begun !== undefined) return;
      const { left } = start(reason);
      void left.waitFor(turn, reserveMs).then(giveUp);
    },
    overdue,
    async finish(reason) {
      turnIsOver();
      const { left, work } = start(reason);
      const inTime = [
        await left.waitFor(work, reserveMs),
        await left.waitFor(closeServers(session), reserveMs),
        await left.waitFor(workspace.end(), reserveMs),
        await left.waitFor(engine.close({ waitMs: hookGraceMs(session, left) }), reserveMs),
      ];
      // A turn that was left behind may have started something since.
      if (session.signal.aborted || inTime.includes(false)) await left.waitFor(killLeftovers(session), filesReserveMs);
      await left.waitFor(shells.clearFolders(), filesReserveMs / 2);
      await left.waitFor(registry.remove(), filesReserveMs / 2);
      await left.waitFor(session.record.close());
    },
  };
}

async function closeServers({ servers }: AgentSession): Promise<void> {
  await Promise.all(servers.map((server) => server.close()));
}

/** Background hooks may finish, except after a signal. */
function hookGraceMs({ signal }: AgentSession, left: TimeLeft): number {
  return signal.aborted ? 0 : Math.max(0, Math.min(1_000, left.leftMs() - 2 * reserveMs));
}

/** Kills what carries the session's mark: commands, servers and hooks, unless one of these is meant to outlive the session. */
async function killLeftovers({ options, engine, shells }: AgentSession): Promise<void> {
  const outlives = engine.background.list().some(({ state }) => state === "running");
  if (outlives) await shells.endAll();
  else endLeftovers(await findLeftovers(runTag, `${options.env[runTag]}/`));
}

/** SessionEnd, within its budget. */
export async function fireSessionEnd(main: AgentThread, reason: string): Promise<void> {
  const { session } = main;
  const { outcome } = await fireAndHold(main, "SessionEnd", { reason });
  for (const { hook, answer, stderr, ended } of outcome.runs) {
    const failed = answer?.failure !== undefined || (ended.by === "exit" && ended.code !== 0);
    const text = `SessionEnd hook [${hook.name}] failed: ${stderr.trim() || answer?.failure || "no stderr output"}`;
    if (failed) session.notice(text, "error");
  }
}

/** A time that began once and is shared by steps one after the other: each may take what is left of it. */
export interface TimeLeft {
  leftMs(): number;
  /**
   * Waits for the work, but not into the last `reserveMs`. Gives false when the work was left behind; what becomes of it then, also an
   * error, concerns nobody any more.
   */
  waitFor(work: Promise<unknown>, reserveMs?: number): Promise<boolean>;
}

/** Where time comes from. */
export interface Time {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export function openTimeLeft(totalMs: number, time: Time = realTime): TimeLeft {
  const endsAt = time.now() + totalMs;
  const leftMs = (): number => Math.max(0, endsAt - time.now());
  return {
    leftMs,
    async waitFor(work, reserveMs = 0) {
      const over = new AbortController();
      // Work that has nothing to wait for is done, however late it is.
      const passed = time.sleep(Math.max(0, leftMs() - reserveMs), over.signal).then(() => false);
      try {
        return await Promise.race([work.then(() => true), passed]);
      } finally {
        over.abort();
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
