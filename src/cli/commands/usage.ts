import { basename, resolve } from "node:path";
import { closestName, defined, didYouMean, Problem, plainLine } from "../../protocol/internal.ts";
import { type ReportName, reportNames, type UsageOptions, usageReport, weekdays } from "../../usage/internal.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { compileLess } from "../compile-less.ts";
import { choice, choices, numberOption, optionTexts } from "../options/option-values.ts";
import { rootOption, sessionRoots } from "../options/session-options.ts";
import { jsonText, progressLine } from "../print/terminal.ts";
import { unreadNotes, usageCsv, usageText } from "../print/usage-report.ts";

export const command: Command = {
  usage: "[daily | weekly | monthly | session | blocks | models | projects] [options]",
  about: `Reports tokens and cost of every call in the transcripts of this machine, subagents included. Each call is counted once.

Nothing is downloaded: prices are part of the package (usage models --show-prices). Models without a price are listed, never counted as
free. With --json: { schema, generatedAt, timezone, range, filters, mode, prices, sources, rows, totals, unpriced, warnings }, one schema per
report in dist/schema.json. Amounts are in whole micro-dollars.`,
  mostArguments: 1,
  options: {
    since: { value: "DAY", about: "first day: 2026-10-07, 20261007, today, yesterday, 30d, 4w" },
    until: { value: "DAY", about: "last day, included" },
    project: { value: "DIR", about: "only this project: its directory or the last part of it" },
    session: { value: "ID", about: "only this session: its id, or the first 4 characters or more" },
    model: { value: "NAME", about: "only this model" },
    subagent: { value: "NAME", about: "only this subagent: its id, its type, or main" },
    timezone: { value: "ZONE", about: "time zone of days, such as Europe/Berlin (default: that of the system)" },
    "week-start": { value: "DAY", about: "weekly: first day of the week (default: monday)" },
    by: { value: "WHAT", multiple: true, about: "split each row by model or subagent; can be repeated" },
    breakdown: { about: "same as --by model" },
    mode: { value: "MODE", about: "auto (recorded cost, else calculated), calculate, or display (recorded cost only)" },
    "token-limit": { value: "N", about: "blocks: share of N tokens; max is the fullest block so far" },
    "show-prices": { about: "print the prices that were used and their source; without usage, all prices" },
    reconcile: { about: "session: also print Claude Code's own figures" },
    prices: { value: "FILE", about: "prices that override those of the package" },
    root: rootOption,
    order: { value: "ORDER", about: "asc or desc" },
    "no-index": { excludes: ["rescan"], about: "read every transcript, without the index" },
    rescan: { about: "read every transcript and rebuild the index" },
    json: { excludes: ["csv"], about: "print one JSON object" },
    csv: { excludes: ["by", "breakdown", "show-prices"], about: "print the rows as comma-separated values" },
  },
  aliases: { agent: "subagent", agents: "by=subagent" },
  examples: [
    "hookline usage --since 30d",
    "hookline usage session --project . --json",
    "hookline usage models --show-prices",
  ],
  async run(call, io) {
    const name = reportFrom(call.operands);
    const splits = choices(call, "by", ["model", "subagent"]);
    const agents = splits.includes("subagent");
    checkReportOptions(call, name);
    compileLess();
    const progress = progressLine("reading transcripts", io);
    let workBytes = 0;
    const options = optionsFrom(call, io);
    const report = await usageReport({
      ...options,
      breakdown: call.flag("breakdown") || splits.includes("model"),
      agents,
      report: name,
      onProgress(done) {
        if (workBytes === 0) compileLess(done.of);
        workBytes = done.of;
        progress.show(done);
      },
    });
    await progress.end();
    const notes = [
      ...(report.rows.length === 0 ? await unknownFilters(call, options) : []),
      ...(call.flag("csv") ? unreadNotes(report.warnings) : []),
    ];
    for (const note of notes) await io.err(`hookline: ${plainLine(note)}\n`);
    if (call.flag("json")) await io.out(jsonText(report));
    else if (call.flag("csv")) await io.out(usageCsv(report));
    else await io.out(usageText(name, report, io, { agents }));
    return 0;
  },
};

function reportFrom([name]: readonly string[]): ReportName {
  if (name === undefined) return "daily";
  const known = reportNames.find((one) => one === name);
  if (known !== undefined) return known;
  const near = closestName(name, reportNames);
  throw usage(`Unknown report "${name}".${near ? ` Did you mean ${near}?` : ""}`);
}

/** Options that only one report uses. */
const onlyFor = { "week-start": "weekly", "token-limit": "blocks", reconcile: "session" } as const;

function checkReportOptions(call: ParsedCall, name: ReportName): void {
  for (const [option, report] of Object.entries(onlyFor)) {
    if (name !== report && (call.flag(option) || call.text(option) !== undefined))
      throw usage(`--${option} works only with the report ${report}, not with ${name}.`);
  }
}

function optionsFrom(call: ParsedCall, io: Io): UsageOptions {
  const roots = sessionRoots(call, io);
  return {
    env: io.env,
    home: io.home,
    signal: io.signal,
    ...optionTexts(call, {
      ...{ since: "since", until: "until", session: "session", model: "model" },
      ...{ timezone: "timezone", prices: "prices", agent: "subagent" },
    }),
    ...defined({
      project: projectFrom(call.text("project"), io),
      roots: roots.length === 0 ? undefined : roots,
      tokenLimit: limitFrom(call),
      weekStart: choice(call, "week-start", weekdays),
      mode: choice(call, "mode", ["auto", "calculate", "display"]),
      order: choice(call, "order", ["asc", "desc"]),
    }),
    showPrices: call.flag("show-prices"),
    reconcile: call.flag("reconcile"),
    index: call.flag("no-index") ? false : call.flag("rescan") ? "rescan" : true,
  };
}

/** A name that begins with a dot is a path relative to the current directory. */
function projectFrom(text: string | undefined, io: Io): string | undefined {
  return text !== undefined && /^\.\.?(?:[\\/]|$)/.test(text) ? resolve(io.cwd, text) : text;
}

function limitFrom(call: ParsedCall): number | "max" | undefined {
  if (call.text("token-limit") === "max") return "max";
  const isCount = (value: number) => Number.isSafeInteger(value) && value > 0;
  return numberOption(call, "token-limit", "a number of tokens or max", isCount);
}

/** A sentence for --model and for --project, if no transcript has it. */
async function unknownFilters(call: ParsedCall, options: UsageOptions): Promise<readonly string[]> {
  const { env, home, roots, signal, prices, index, model, project } = options;
  const everything = { ...defined({ env, home, roots, signal, prices }), index: index !== false } as const;
  const notes: string[] = [];
  if (model !== undefined && (await usageReport({ ...everything, model })).rows.length === 0) {
    const { rows } = await usageReport({ ...everything, report: "models" });
    const models = [...new Set(rows.map((row) => row.model))];
    notes.push(noSuch("model", model, models, models));
  }
  if (project !== undefined && (await usageReport({ ...everything, project })).rows.length === 0) {
    const { rows } = await usageReport({ ...everything, report: "projects" });
    const projects = rows.map((row) => row.project);
    const given = call.text("project") ?? "";
    notes.push(noSuch("project", given, projects, [...projects.map((path) => basename(path)), ...projects]));
  }
  return notes;
}

const mostNames = 10;

function noSuch(what: string, name: string, existing: readonly string[], candidates: readonly string[]): string {
  const shown = existing.slice(0, mostNames).join(", ");
  const list = existing.length === 0 ? "" : `There is usage of ${shown}${existing.length > mostNames ? ", …" : ""}.`;
  return `No transcript has the ${what} "${name}".${didYouMean(name, candidates, list)}`;
}

function usage(why: string): Problem {
  return new Problem("cli/usage", `${why} See hookline usage --help.`);
}
