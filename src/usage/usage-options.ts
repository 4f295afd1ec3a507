import type { CostMode } from "./reports/amounts.ts";
import type { Weekday } from "./reports/calendar.ts";

export const reportNames = ["daily", "weekly", "monthly", "session", "blocks", "models", "projects"] as const;
export type ReportName = (typeof reportNames)[number];

/** What is asked for. Filters act before anything is added up. */
export interface ReportRequest {
  readonly report?: ReportName;
  /** Days, inclusive: `2026-10-07`, `20261007`, `today`, `yesterday`, `30d`, `4w`. */
  readonly since?: string;
  readonly until?: string;
  /** A project's directory, its last part, or the name of its folder of transcripts. */
  readonly project?: string;
  /** A session's id, or its beginning (4 characters or more). */
  readonly session?: string;
  readonly model?: string;
  /** An agent's id or type; `main` for what no agent did. */
  readonly agent?: string;
  /** The system's unless told. */
  readonly timezone?: string;
  readonly weekStart?: Weekday;
  /** Rows hold their models, too. */
  readonly breakdown?: boolean;
  /** Rows hold the split by type of agent, too. */
  readonly agents?: boolean;
  readonly mode?: CostMode;
  readonly order?: "asc" | "desc";
  /** For blocks: how many tokens fit in one; `max` takes the fullest one so far. */
  readonly tokenLimit?: number | "max";
  /** For models: the prices that were used. */
  readonly showPrices?: boolean;
  /** For sessions: the client's own figures beside ours. */
  readonly reconcile?: boolean;
  /** Projects under other names: the directory, or the folder of transcripts, to the name. */
  readonly projectNames?: Readonly<Record<string, string>>;
  /** Milliseconds; the present unless told. */
  readonly now?: number;
}
