import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { Problem } from "../../protocol/internal.ts";
import { type ReplayReport, replay } from "../../replay/internal.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { defaultHooksFile } from "../command-line/input.ts";
import { unlessInterrupted } from "../command-line/signals.ts";
import { choices, pointInTime, wholeNumber } from "../options/option-values.ts";
import { jsonOption, rootOption, sessionSearch } from "../options/session-options.ts";
import { replayText, toolsNotFoundText } from "../print/replay-report.ts";
import { jsonText, progressLine, styleFor } from "../print/terminal.ts";

export const command: Command = {
  usage:
    "[FILE] [--since TIME] [--project DIR|--all] [--tool TOOL]… [--event EVENT]… [--against FILE|git:REF] [--fail-on WHAT]… [--json]",
  about: `Runs an app over past tool calls and prompts, recorded in transcripts, and reports what it would have done.

FILE is the hooks file (default: .claude/hooks.ts, .mts, .js or .mjs). Nothing is executed: no tool runs, state is a temporary copy, tasks
are recorded and not run, and the app cannot write files, start programs or use the network; a handler that tries is reported as
effect-refused. ctx.replay is true, ctx.git is unavailable, and ctx.transcript is the whole session as it is today.
Exit status: 0, 3 when --fail-on matches, 130 when interrupted.`,
  mostArguments: 1,
  options: {
    since: { value: "TIME", about: "only since this time: 2026-01-31, 2h, 30d" },
    project: { excludes: ["all"], value: "DIR", about: "only sessions of this directory (default: the current one)" },
    all: { about: "sessions of every project" },
    root: rootOption,
    tool: { value: "TOOL", multiple: true, about: "only this tool; * is a wildcard" },
    event: {
      value: "EVENT",
      multiple: true,
      about: "only PreToolUse, PostToolUse, PostToolUseFailure or UserPromptSubmit",
    },
    against: {
      value: "FILE|git:REF",
      about: "list only calls that another hooks file, or the file at a commit, answers differently",
    },
    "fail-on": {
      value: "deny|ask|change",
      multiple: true,
      about:
        "exit with 3 if a call would be denied (deny), denied or asked about (ask), or changed; with --against only calls that differ count",
    },
    "allow-effects": { about: "let the app write files, start programs and use the network" },
    limit: { value: "N", about: "rows in each list (default: 20; with --json 1000; 0 for all)" },
    json: jsonOption,
  },
  examples: [
    "hookline replay",
    "hookline replay .claude/hooks.ts --since 30d --tool Bash --fail-on deny",
    "hookline replay --all --against git:HEAD~1",
  ],
  async run(call, io) {
    const failOn = choices(call, "fail-on", failures);
    const hooks = hooksFile(call, io);
    const progress = progressLine("Replaying", io);
    const report = await replay({
      ...sessionSearch(call, io),
      env: io.env,
      cwd: io.cwd,
      hooks,
      project: projectFrom(call, io),
      sinceMs: pointInTime(call, "since"),
      tools: call.texts("tool"),
      events: call.texts("event"),
      against: call.text("against"),
      allowEffects: call.flag("allow-effects"),
      limit: (wholeNumber(call, "limit") ?? (call.flag("json") ? 1_000 : 20)) || Number.POSITIVE_INFINITY,
      signal: io.signal,
      progress: (state) => progress.show(state),
    })
      .catch(unlessInterrupted(io))
      .finally(() => progress.end());
    if (report === undefined) return 130;
    const columns = io.terminal.out ? io.terminal.columns : 120;
    const options = { root: call.text("root"), all: call.flag("all"), since: call.text("since") };
    await io.out(call.flag("json") ? jsonText(report) : replayText(report, { style: styleFor(io), columns }, options));
    await io.err(toolsNotFoundText(report));
    return failOn.some((what) => finds(report, what)) ? 3 : 0;
  },
};

const failures = ["deny", "ask", "change"] as const;
type Failure = (typeof failures)[number];

/** Uses counts, since lists are truncated. */
function finds({ events, against, changesInAll }: ReplayReport, what: Failure): boolean {
  const decisions = what === "deny" ? ["deny", "block", "halt"] : ["deny", "block", "halt", "ask", "defer"];
  if (against !== undefined) {
    if (what === "change") return against.differing > 0;
    return Object.keys(against.decisions).some((decision) => decisions.includes(decision));
  }
  if (what === "change") return changesInAll > 0 || events.some(({ outputsChanged }) => outputsChanged > 0);
  return events.some((event) => Object.keys(event.decisions).some((decision) => decisions.includes(decision)));
}

function projectFrom(call: ParsedCall, io: Io): string | undefined {
  const named = call.text("project");
  if (named !== undefined) return resolve(io.cwd, named);
  return call.flag("all") ? undefined : io.cwd;
}

function hooksFile(call: ParsedCall, io: Io): string {
  const [file = defaultHooksFile(io.cwd)] = call.operands;
  const path = resolve(io.cwd, file);
  if (existsSync(path)) return path;
  const message = `${path} does not exist. Pass a hooks file, or create one with hookline init.`;
  throw new Problem("cli/bad-input", message);
}
