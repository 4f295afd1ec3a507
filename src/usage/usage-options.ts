import { closestName, Problem } from "../protocol/internal.ts";
import type { CostMode } from "./reports/amounts.ts";
import { type Weekday, weekdays } from "./reports/calendar.ts";
import type { UsageOptions } from "./usage-report.ts";
import type { SpentOn, SpentOptions } from "./usage-spending.ts";

export const reportNames = ["daily", "weekly", "monthly", "session", "blocks", "models", "projects"] as const;
export type ReportName = (typeof reportNames)[number];

/** What is asked for. Filters act before anything is added up. */
export interface ReportRequest {
  /** Default: `daily`. */
  readonly report?: ReportName;
  /** Days, inclusive: `2026-10-07`, `20261007`, `today`, `yesterday`, `30d`, `4w`. */
  readonly since?: string;
  readonly until?: string;
  /** A project's directory, its last part, or the name of its folder of transcripts. */
  readonly project?: string;
  /** A session's id, or its beginning (4 characters or more). */
  readonly session?: string;
  /** A model, with or without its date. */
  readonly model?: string;
  /** An agent's id or type; `main` for what no agent did. */
  readonly agent?: string;
  /** Default: the time zone of the system. */
  readonly timezone?: string;
  /** Default: `monday`. */
  readonly weekStart?: Weekday;
  /** Rows hold their models, too. */
  readonly breakdown?: boolean;
  /** Rows hold the split by type of agent, too. */
  readonly agents?: boolean;
  /** Whose cost counts. Default: `auto`. */
  readonly mode?: CostMode;
  /** Default: times ascend, costs descend. */
  readonly order?: "asc" | "desc";
  /** For blocks: how many tokens fit in one; `max` takes the fullest one so far. */
  readonly tokenLimit?: number | "max";
  /** For models: the prices that were used. */
  readonly showPrices?: boolean;
  /** For sessions: the client's own figures beside ours. */
  readonly reconcile?: boolean;
  /** Projects under other names: the directory, or the folder of transcripts, to the name. */
  readonly projectNames?: Readonly<Record<string, string>>;
  /** Milliseconds. Default: the current time. */
  readonly now?: number;
}

const choices: Readonly<Record<string, readonly unknown[]>> = {
  report: reportNames,
  mode: ["auto", "calculate", "display"],
  order: ["asc", "desc"],
  weekStart: weekdays,
  index: [true, false, "rescan"],
};

const texts = ["project", "session", "model", "agent", "prices"] as const;

/** Throws `usage/option` for an invalid value, which would silently give a wrong report. */
export function checkUsageOptions(options: UsageOptions): void {
  checkGiven(options);
  const given = options as Readonly<Record<string, unknown>>;
  for (const [name, values] of Object.entries(choices)) {
    const value = given[name];
    if (value !== undefined && !values.includes(value)) throw wrong(name, value, `one of ${values.join(", ")}`);
  }
  for (const name of texts) {
    if (given[name] !== undefined && typeof given[name] !== "string") throw wrong(name, given[name], "a text");
  }
  const { tokenLimit, now, roots } = options;
  if (tokenLimit !== undefined && tokenLimit !== "max" && !(Number.isSafeInteger(tokenLimit) && tokenLimit > 0))
    throw wrong("tokenLimit", tokenLimit, "a number of tokens or max");
  checkNow(now);
  if (roots !== undefined && !Array.isArray(roots)) throw wrong("roots", roots, "a list of folders");
}

const kinds = ["session", "day", "month", "project"] as const;

/** Throws `usage/option` unless it names one thing: a guard with an empty question would always get 0. */
export function checkSpentOn(on: SpentOn, options: SpentOptions): void {
  checkGiven(options);
  const names = typeof on === "object" && on !== null ? Object.keys(on) : [];
  const [name = ""] = names;
  if (names.length !== 1 || !(kinds as readonly string[]).includes(name)) {
    const near = closestName(name, kinds);
    const hint = near === undefined || near === name ? "" : ` Did you mean ${near}?`;
    throw new Problem("usage/option", `spent() takes one of ${kinds.join(", ")}, not ${shown(on)}.${hint}`);
  }
  const value: unknown = Object.values(on)[0];
  if (typeof value !== "string" || value === "") throw wrong(name, value, "a text that is not empty");
  if (name === "month" && !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(value)) throw wrong(name, value, "a month such as 2026-10");
  checkNow(options.now);
}

function checkGiven(options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw wrong("options", options, "an object");
}

function checkNow(now: unknown): void {
  if (now === undefined) return;
  if (typeof now !== "number" || Number.isNaN(new Date(now).getTime()))
    throw wrong("now", now, "a time in milliseconds");
}

function wrong(name: string, value: unknown, wanted: string): Problem {
  return new Problem("usage/option", `${name} is ${wanted}, not ${shown(value)}.`, { about: { option: name } });
}

function shown(value: unknown): string {
  if (typeof value === "number" || value === undefined) return String(value);
  return (JSON.stringify(value) ?? typeof value).slice(0, 80);
}
