import { resolve } from "node:path";
import { closestName, defined, Problem, plainLine } from "../../protocol/internal.ts";
import { type ReportName, reportNames, type UsageOptions, usageReport, weekdays } from "../../usage/internal.ts";
import type { Call, Command, Io } from "../command-line/command.ts";
import { oneOf, optionTexts } from "../option-values.ts";
import { rootsFrom } from "../options/session-options.ts";
import { jsonText } from "../print/json.ts";
import { progressLine } from "../print/progress.ts";
import { unreadNotes, usageCsv, usageText } from "../print/usage-report.ts";
import { compileLess } from "../unhurried.ts";

export const command: Command = {
  usage: "[daily | weekly | monthly | session | blocks | models | projects] [options]",
  about: `Tokens and cost of every call in the transcripts of this machine, subagents included, each call counted once.

Nothing is fetched: prices are part of the package (models --show-prices), and calls without one are named, never counted as free.
With --json: { schema, generatedAt, timezone, range, filters, mode, prices, sources, rows, totals, unpriced, warnings }, one schema per
report in dist/schema.json. Money is in whole micro-dollars.`,
  mostArguments: 1,
  options: {
    since: { type: "string", value: "DAY", about: "from this day on: 2026-10-07, 20261007, today, yesterday, 30d, 4w" },
    until: { type: "string", value: "DAY", about: "up to this day, which is included" },
    project: { type: "string", value: "DIR", about: "only this project: its directory, or the last part of it" },
    session: {
      type: "string",
      value: "ID",
      about: "only this session: its id, or 4 characters or more of its beginning",
    },
    model: { type: "string", value: "NAME", about: "only this model" },
    subagent: { type: "string", value: "NAME", about: "only this subagent: its id, its type, or main" },
    agent: { type: "string", about: "the older name of --subagent", aliasOf: { option: "subagent" } },
    timezone: {
      type: "string",
      value: "ZONE",
      about: "days of this zone, such as Europe/Berlin (default: the system's)",
    },
    "week-start": { type: "string", value: "DAY", about: "the day weeks begin with (default: monday)" },
    by: {
      type: "string",
      value: "WHAT",
      multiple: true,
      about: "each row by model or subagent, too; may be given again",
    },
    breakdown: { type: "boolean", about: "the same as --by model" },
    agents: { type: "boolean", about: "the older name", aliasOf: { option: "by", value: "subagent" } },
    mode: {
      type: "string",
      value: "MODE",
      about: "auto (written cost, else calculated), calculate or display (written only)",
    },
    "token-limit": {
      type: "string",
      value: "N",
      about: "blocks: share of N tokens; max takes the fullest block so far",
    },
    "show-prices": { type: "boolean", about: "the price rows that were used, and where they come from" },
    reconcile: { type: "boolean", about: "session: the client's own figures beside ours" },
    prices: { type: "string", value: "FILE", about: "prices that come before the package's own" },
    root: {
      type: "string",
      value: "DIR",
      multiple: true,
      about: "look in this folder (it has projects/ in it) instead of the usual ones; may be given again",
    },
    order: { type: "string", value: "ORDER", about: "asc or desc" },
    "no-index": { type: "boolean", excludes: ["rescan"], about: "read every transcript and write nothing" },
    rescan: { type: "boolean", about: "read every transcript again and keep what was found" },
    json: { type: "boolean", excludes: ["csv"], about: "print one JSON object" },
    csv: { type: "boolean", about: "print the rows as comma-separated values" },
  },
  examples: [
    "hookline usage --since 30d",
    "hookline usage session --project . --json",
    "hookline usage models --show-prices",
  ],
  async run(call, io) {
    const name = reportFrom(call.words);
    const splits = splitsFrom(call);
    refuseUseless(call, name);
    compileLess();
    const progress = progressLine("reading transcripts", io);
    let workBytes = 0;
    const report = await usageReport({
      ...optionsFrom(call, io),
      breakdown: call.flag("breakdown") || splits.includes("model"),
      agents: splits.includes("subagent"),
      report: name,
      onProgress(done) {
        if (workBytes === 0) compileLess(done.of);
        workBytes = done.of;
        progress.show(done);
      },
    });
    await progress.end();
    // A table of values has no place for a remark.
    if (call.flag("csv"))
      for (const note of unreadNotes(report.warnings)) await io.err(`hookline: ${plainLine(note)}\n`);
    if (call.flag("json")) await io.out(jsonText(report));
    else
      await io.out(
        call.flag("csv") ? usageCsv(report) : usageText(name, report, io, { agents: splits.includes("subagent") }),
      );
    return 0;
  },
};

function splitsFrom(call: Call): readonly string[] {
  return call.texts("by").flatMap((split) => oneOf("by", split, ["model", "subagent"]) ?? []);
}

function reportFrom([word]: readonly string[]): ReportName {
  if (word === undefined) return "daily";
  if ((reportNames as readonly string[]).includes(word)) return word as ReportName;
  const near = closestName(word, reportNames);
  throw usage(`"${word}" is not a report${near ? `; did you mean ${near}` : ""}`);
}

/** Options that only one report follows. */
const onlyFor = { "week-start": "weekly", "token-limit": "blocks", reconcile: "session" } as const;

function refuseUseless(call: Call, name: ReportName): void {
  for (const [option, report] of Object.entries(onlyFor)) {
    if (name !== report && (call.flag(option) || call.text(option) !== undefined))
      throw usage(`--${option} is for the report ${report}, not for ${name}`);
  }
  const unfit = ["breakdown", "show-prices"].find((option) => call.flag(option));
  const refused = call.texts("by").length > 0 ? "by" : unfit;
  if (call.flag("csv") && refused !== undefined) throw usage(`--${refused} cannot be printed with --csv; use --json`);
}

function optionsFrom(call: Call, io: Io): UsageOptions {
  const roots = rootsFrom(call, io);
  return {
    env: io.env,
    home: io.home,
    signal: io.signal,
    ...optionTexts(call, {
      ...{ since: "since", until: "until", session: "session", model: "model" },
      ...{ timezone: "timezone", prices: "prices", agent: "subagent" },
    }),
    ...(call.text("project") === undefined ? {} : { project: projectFrom(call.text("project") ?? "", io) }),
    ...(roots.length === 0 ? {} : { roots }),
    ...defined({
      weekStart: choice(call, "week-start", weekdays),
      mode: choice(call, "mode", ["auto", "calculate", "display"]),
      order: choice(call, "order", ["asc", "desc"]),
    }),
    ...(call.text("token-limit") === undefined ? {} : { tokenLimit: limitFrom(call.text("token-limit") ?? "") }),
    showPrices: call.flag("show-prices"),
    reconcile: call.flag("reconcile"),
    index: call.flag("no-index") ? false : call.flag("rescan") ? "rescan" : true,
  };
}

/** What begins with a dot is a path from this directory; anything else is taken as it is. */
function projectFrom(text: string, io: Io): string {
  return /^\.\.?(?:[\\/]|$)/.test(text) ? resolve(io.cwd, text) : text;
}

function choice<Value extends string>(call: Call, option: string, values: readonly Value[]): Value | undefined {
  return oneOf(option, call.text(option)?.toLowerCase(), values);
}

function limitFrom(text: string): number | "max" {
  if (text === "max") return text;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw usage(`--token-limit is a number of tokens or max, not "${text}"`);
}

function usage(why: string): Problem {
  return new Problem("cli/usage", `${why}. See hookline usage --help.`);
}
