import { defined, groupBy } from "../../protocol/internal.ts";
import type { SubagentMeta } from "../../sessions/internal.ts";
import { rollupsWhere } from "../calls/rollups.ts";
import type { LedgerFile } from "../ledger/ledger.ts";
import { type Amounts, amountsOf, type CallTimes, timesOf } from "./amounts.ts";
import { type Breakdown, groupsByText, type RowOptions, reportRow } from "./report-rows.ts";
import type { UsageSelection } from "./selection.ts";

/** One row of the `session` report. */
export interface SessionRow extends Amounts, CallTimes, Pick<Breakdown, "models"> {
  readonly sessionId: string;
  readonly project: string;
  readonly cwd?: string;
  readonly title?: string;
  /** Prompts and what else began a turn, on all branches. */
  readonly turns: number;
  /** What no agent did, and what agents did: together they are the row. */
  readonly main: Amounts;
  readonly agents: Amounts;
  readonly byAgent: readonly AgentRow[];
  /** Claude Code's own figures, when they were asked for and are known. Never mixed in. */
  readonly reconcile?: Reconciled;
}

/** The usage of one subagent in a row of the `session` report. */
export interface AgentRow
  extends Amounts,
    Pick<SubagentMeta, "agentType" | "description" | "toolUseId" | "parentAgentId"> {
  readonly agentId: string;
  readonly depth?: number;
}

/** The cost of a session as Claude Code computed it, and the difference from the report. */
export interface Reconciled {
  readonly clientMicroUsd: number | null;
  readonly statuslineMicroUsd: number | null;
  /** Ours less theirs, by the first of the two that is known; null for a part of a session, since theirs are of the whole. */
  readonly differenceMicroUsd: number | null;
}

export function sessionRows(
  selection: UsageSelection,
  options: RowOptions,
  reconcile?: (session: string) => number | undefined,
): SessionRow[] {
  const { fileOf, agentOf } = selection;
  const { files, rollups } = selection.ledger;
  const mainFiles = files.filter((file) => file.agent === undefined);
  const mains = groupBy(mainFiles, (file) => file.session);
  const reconciled = reconcile && reconciler(selection, reconcile);
  return groupsByText(selection, (at) => fileOf(at).session)
    .map(([sessionId, rows]): SessionRow => {
      const main = mains.get(sessionId)?.[0];
      const any = fileOf(rows[0] ?? 0);
      const cwd = main?.facts.cwd ?? any.facts.cwd;
      const ofMain = rows.filter((at) => agentOf(at) === "");
      const ofAgents = rows.filter((at) => agentOf(at) !== "");
      const own = reportRow(selection, rows, { ...options, agents: false });
      return {
        sessionId,
        project: selection.projectOf(main ?? any),
        ...defined({ cwd, title: titleOf(main) }),
        ...timesOf(rollups, rows),
        turns: main?.facts.turns ?? 0,
        ...own,
        main: amountsOf(rollups, ofMain, options.mode),
        agents: amountsOf(rollups, ofAgents, options.mode),
        byAgent: agentRows(selection, ofAgents, options),
        ...(reconciled && { reconcile: reconciled(sessionId, own, main?.facts.clientMicroUsd) }),
      };
    })
    .sort((a, b) => ((a.lastAt ?? "") < (b.lastAt ?? "") ? -1 : 1));
}

function titleOf(file: LedgerFile | undefined): string | undefined {
  const { customTitle, aiTitle, summary, firstPrompt } = file?.facts ?? {};
  return customTitle ?? aiTitle ?? summary ?? firstPrompt;
}

function agentRows(selection: UsageSelection, rows: readonly number[], options: RowOptions): AgentRow[] {
  return [...groupBy(rows, selection.agentOf)].map(([agentId, own]): AgentRow => {
    const file = own.map(selection.fileOf).find(({ agent }) => agent === agentId);
    const meta = file && selection.metaOf(file);
    const agentType = meta?.agentType ?? file?.facts.agentType;
    const { description, toolUseId, parentAgentId, spawnDepth: depth } = meta ?? {};
    const known = defined({ agentType, description, toolUseId, parentAgentId, depth });
    return { agentId, ...known, ...amountsOf(selection.ledger.rollups, own, options.mode) };
  });
}

function reconciler({ ledger, keep, fileOf }: UsageSelection, statuslineCost: (session: string) => number | undefined) {
  /** Sessions of which the report leaves out calls, by day, model or agent. */
  const narrowed = new Set(rollupsWhere(ledger.rollups, (at) => !keep(at)).map((at) => fileOf(at).session));
  return (session: string, own: Amounts, claudeCode: number | undefined): Reconciled => {
    const statusline = statuslineCost(session);
    const theirs = claudeCode ?? statusline;
    return {
      clientMicroUsd: claudeCode ?? null,
      statuslineMicroUsd: statusline ?? null,
      differenceMicroUsd: theirs === undefined || narrowed.has(session) ? null : own.costMicroUsd - theirs,
    };
  };
}
