import { defined, groupBy } from "../../protocol/internal.ts";
import { rollupsWhere, sumColumn } from "../calls/rollups.ts";
import type { LedgerFile } from "../ledger/ledger.ts";
import { type Amounts, amountsOf, timesOf } from "./amounts.ts";
import { type Breakdown, groupsByText, type RowOptions, reportRow } from "./report-rows.ts";
import type { Selection } from "./selection.ts";

export interface SessionRow extends Amounts, Pick<Breakdown, "models"> {
  readonly sessionId: string;
  readonly project: string;
  readonly cwd?: string;
  readonly title?: string;
  readonly firstAt?: string;
  readonly lastAt?: string;
  /** Prompts and what else began a turn, on all branches. */
  readonly turns: number;
  /** What no agent did, and what agents did: together they are the row. */
  readonly main: Amounts;
  readonly agents: Amounts;
  readonly byAgent: readonly AgentRow[];
  /** The client's own figures, when they were asked for and are known. Never mixed in. */
  readonly reconcile?: Reconciled;
}

export interface AgentRow extends Amounts {
  readonly agentId: string;
  readonly agentType?: string;
  readonly description?: string;
  readonly toolUseId?: string;
  readonly parentAgentId?: string;
  readonly depth?: number;
}

export interface Reconciled {
  readonly clientMicroUsd: number | null;
  readonly statuslineMicroUsd: number | null;
  /** Ours less theirs, by the first of the two that is known; null for a part of a session, since theirs are of the whole. */
  readonly differenceMicroUsd: number | null;
}

export function sessionRows(
  selection: Selection,
  options: RowOptions,
  reconcile?: (session: string) => number | undefined,
): SessionRow[] {
  const { files, rollups } = selection.ledger;
  const mains = new Map<string, LedgerFile>();
  for (const file of files) if (file.agent === undefined && !mains.has(file.session)) mains.set(file.session, file);
  const narrowed = reconcile === undefined ? new Set<string>() : narrowedSessions(selection);
  const sessionOf = (at: number) => files[rollups.sums[at + sumColumn.file] as number]?.session ?? "";
  return groupsByText(selection, sessionOf)
    .map(([sessionId, rows]): SessionRow => {
      const main = mains.get(sessionId);
      const any = files[rollups.sums[(rows[0] ?? 0) + sumColumn.file] as number] as LedgerFile;
      const cwd = main?.facts.cwd ?? any.facts.cwd;
      const title = titleOf(main);
      const own = reportRow(selection, rows, { ...options, agents: false });
      return {
        sessionId,
        project: selection.projects.of(files.indexOf(main ?? any)),
        ...defined({ cwd, title }),
        ...timesOf(rollups, rows),
        turns: main?.facts.turns ?? 0,
        ...own,
        main: amountsOf(
          rollups,
          rows.filter((at) => selection.agentOf(at) === ""),
          options.mode,
        ),
        agents: amountsOf(
          rollups,
          rows.filter((at) => selection.agentOf(at) !== ""),
          options.mode,
        ),
        byAgent: agentRows(selection, rows, options),
        ...(reconcile === undefined
          ? {}
          : { reconcile: reconciled(own, main?.facts.clientMicroUsd, reconcile(sessionId), !narrowed.has(sessionId)) }),
      };
    })
    .sort((a, b) => ((a.lastAt ?? "") < (b.lastAt ?? "") ? -1 : 1));
}

function titleOf(file: LedgerFile | undefined): string | undefined {
  const { customTitle, aiTitle, summary, firstPrompt } = file?.facts ?? {};
  return customTitle ?? aiTitle ?? summary ?? firstPrompt;
}

function agentRows(selection: Selection, rows: readonly number[], options: RowOptions): AgentRow[] {
  const { files, rollups } = selection.ledger;
  const byAgents = rows.filter((at) => selection.agentOf(at) !== "");
  return [...groupBy(byAgents, selection.agentOf)].map(([agentId, own]): AgentRow => {
    const place = own
      .map((at) => rollups.sums[at + sumColumn.file] as number)
      .find((file) => files[file]?.agent === agentId);
    const meta = place === undefined ? undefined : selection.meta(place);
    const agentType = meta?.agentType ?? (place === undefined ? undefined : files[place]?.facts.agentType);
    const { description, toolUseId, parentAgentId, spawnDepth: depth } = meta ?? {};
    const known = defined({ agentType, description, toolUseId, parentAgentId, depth });
    return { agentId, ...known, ...amountsOf(rollups, own, options.mode) };
  });
}

/** Sessions of which a report leaves out calls, by day, model or agent. */
function narrowedSessions({ ledger: { files, rollups }, keep }: Selection): ReadonlySet<string> {
  const left = rollupsWhere(rollups, (at) => !keep(at));
  return new Set(left.map((at) => files[rollups.sums[at + sumColumn.file] as number]?.session ?? ""));
}

function reconciled(
  own: Amounts,
  client: number | undefined,
  statusline: number | undefined,
  isWhole: boolean,
): Reconciled {
  const theirs = client ?? statusline;
  return {
    clientMicroUsd: client ?? null,
    statuslineMicroUsd: statusline ?? null,
    differenceMicroUsd: theirs === undefined || !isWhole ? null : own.costMicroUsd - theirs,
  };
}
