import { statSync } from "node:fs";
import { basename, join } from "node:path";
import type { HomeSource } from "../files/internal.ts";
import {
  attempt,
  checkAll,
  checkNamed,
  checkOf,
  didYouMean,
  isObject,
  mustBe,
  type OptionCheck,
  oneOfCheck,
  Problem,
  showValue,
} from "../protocol/internal.ts";
import type { SessionRoot } from "../sessions/internal.ts";
import type { CostMode } from "./reports/amounts.ts";
import { type Weekday, weekdays } from "./reports/calendar.ts";

export const reportNames = ["daily", "weekly", "monthly", "session", "blocks", "models", "projects"] as const;
/** The name of a usage report. */
export type ReportName = (typeof reportNames)[number];

/** What a report shows. Filters apply before anything is added up. */
export interface ReportRequest {
  /** Default: `daily`. */
  readonly report?: ReportName;
  /** Days, inclusive: `2026-10-07`, `20261007`, `today`, `yesterday`, `30d`, `4w`. */
  readonly since?: string;
  /** Written like `since`; the day itself is included. */
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
  /** Adds the split by model to each row. */
  readonly breakdown?: boolean;
  /** Adds the split by type of agent to each row. */
  readonly agents?: boolean;
  /** Which cost counts. Default: `auto`. */
  readonly mode?: CostMode;
  /** Default: times ascend, costs descend. */
  readonly order?: "asc" | "desc";
  /** For blocks: how many tokens fit in one; `max` takes the fullest one so far. */
  readonly tokenLimit?: number | "max";
  /** Adds the prices that were used; without usage, all prices. */
  readonly showPrices?: boolean;
  /** For sessions: Claude Code's own figures next to ours. */
  readonly reconcile?: boolean;
  /** Projects under other names: the directory, or the folder of transcripts, to the name. */
  readonly projectNames?: Readonly<Record<string, string>>;
  /** Milliseconds. Default: the current time. */
  readonly now?: number;
}

/** Options of `usageReport`. */
export interface UsageOptions extends ReportRequest, HomeSource {
  /** Config folders of agents. Default: those of this user. */
  readonly roots?: readonly (string | SessionRoot)[] | undefined;
  /** A file of prices that come before the package's own. */
  readonly prices?: string | undefined;
  /** `false`: read everything, write nothing. `"rescan"`: read everything and keep it. */
  readonly index?: boolean | "rescan";
  /** Aborts the report. */
  readonly signal?: AbortSignal | undefined;
  /** Called repeatedly while transcripts are read: bytes so far, and of all transcripts. */
  readonly onProgress?: ((progress: { readonly bytes: number; readonly of: number }) => void) | undefined;
}

/** Which session, day, month or project; subagents are always included. */
export type SpentOn =
  /** Its id, or 4 characters or more of its beginning. */
  | { readonly session: string }
  /** `2026-10-07`, `today` and the like. */
  | { readonly day: string }
  /** `2026-10`. */
  | { readonly month: string }
  | { readonly project: string };

/** Options of `spent`. */
export interface SpentOptions extends HomeSource {
  /** Config folders of agents, or the root of a store. Default: those of this user, and the default store. */
  readonly roots?: readonly (string | SessionRoot)[] | undefined;
  /** Default: the time zone of the system. */
  readonly timezone?: string;
  /** Milliseconds. Default: the current time. */
  readonly now?: number;
}

const spentChecks: Readonly<Record<keyof SpentOptions, OptionCheck | undefined>> = {
  // A machine without sessions gets an answer too, which is not complete: projects/ is not required.
  roots: rootsCheck("a list of existing directories", (root) => root),
  ...checkAll(mustBe.text, "timezone", "home", "platform"),
  now: checkOf("a time in milliseconds", (now) => typeof now === "number" && !Number.isNaN(new Date(now).getTime())),
  env: mustBe.object,
};

/** `needed` is the folder that has to exist for the path of a root. */
function rootsCheck(wanted: string, needed: (root: string) => string): OptionCheck {
  const isRoot = (root: unknown) =>
    typeof root !== "string" || attempt(() => statSync(needed(root)))?.isDirectory() === true;
  return checkOf(wanted, (roots) => Array.isArray(roots) && roots.every(isRoot));
}

const reportChecks: Readonly<Record<keyof UsageOptions, OptionCheck | undefined>> = {
  ...spentChecks,
  // A path that has no sessions would give a report of nothing.
  roots: rootsCheck("a list of directories that contain projects/", (root) =>
    basename(root) === "projects" ? root : join(root, "projects"),
  ),
  report: oneOfCheck(reportNames),
  mode: oneOfCheck(["auto", "calculate", "display"]),
  order: oneOfCheck(["asc", "desc"]),
  weekStart: oneOfCheck(weekdays),
  index: oneOfCheck([true, false, "rescan"]),
  ...checkAll(undefined, "since", "until"),
  ...checkAll(mustBe.text, "project", "session", "model", "agent", "prices"),
  tokenLimit: checkOf(
    "a number of tokens or max",
    (limit) => limit === "max" || (Number.isSafeInteger(limit) && Number(limit) > 0),
  ),
  ...checkAll(mustBe.boolean, "breakdown", "agents", "showPrices", "reconcile"),
  projectNames: mustBe.object,
  signal: mustBe.abortSignal,
  onProgress: mustBe.function,
};

/** Throws `usage/option` for an unknown option or an invalid value, which would silently give a wrong report. */
export function checkUsageOptions(options: UsageOptions): void {
  checkNamed("usageReport", options, reportChecks, "usage/option");
}

/** The same for `statusline`. */
export function checkStatuslineOptions(text: unknown, options: object): void {
  if (typeof text !== "string") throw wrong("The input of statusline", text, "Claude Code's JSON as text");
  const { roots: _, ...checks } = spentChecks;
  checkNamed("statusline", options, checks, "usage/option");
}

const kinds = ["session", "day", "month", "project"] as const;

/** Throws `usage/option` unless it names one thing: a guard with an empty question would always get 0. */
export function checkSpentOn(on: SpentOn, options: SpentOptions): void {
  const names = isObject(on) ? Object.keys(on) : [];
  const [name = ""] = names;
  if (names.length !== 1 || !(kinds as readonly string[]).includes(name)) {
    const hint = didYouMean(name, kinds);
    throw new Problem("usage/option", `spent() takes one of ${kinds.join(", ")}, not ${showValue(on)}.${hint}`);
  }
  const value: unknown = Object.values(on)[0];
  if (typeof value !== "string" || value === "") throw wrong(name, value, "a string that is not empty");
  if (name === "month" && !/^\d{4}-(?:0[1-9]|1[0-2])$/.test(value)) throw wrong(name, value, "a month such as 2026-10");
  checkNamed("spent", options, spentChecks, "usage/option");
}

function wrong(name: string, value: unknown, wanted: string): Problem {
  const message = `${name} must be ${wanted}, not ${showValue(value)}.`;
  return new Problem("usage/option", message, { about: { option: name } });
}
