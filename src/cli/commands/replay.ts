import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { Problem } from "../../protocol/internal.ts";
import { type ReplayOptions, type Report, replay } from "../../replay/internal.ts";
import type { Call, Command, Io } from "../command-line/command.ts";
import { usualHooksFile } from "../command-line/input.ts";
import { oneOf } from "../option-values.ts";
import { jsonOption, rootOption, whereFrom } from "../options/session-options.ts";
import { jsonText } from "../print/json.ts";
import { progressLine } from "../print/progress.ts";
import { replayText } from "../print/replay-report.ts";
import { styleFor } from "../print/style.ts";
import { countFrom, timeFrom } from "./sessions/numbers.ts";

export const command: Command = {
  usage:
    "[FILE] [--since TIME] [--project DIR|--all] [--tool TOOL]… [--event EVENT]… [--against FILE|git:REF] [--fail-on WHAT]… [--json]",
  about: `Runs an app over past tool calls and prompts, as transcripts tell of them, and reports what it would have done.

FILE is the hooks file, .claude/hooks.ts (.mts, .js, .mjs) by default. Nothing is executed: no tool runs, state is a copy that is thrown
away, tasks are noted and not run, and the app runs in a process that can write no file, start no program and reach no network; a handler
that tries is reported as effect-refused. ctx.replay is true, ctx.git says unavailable, and ctx.transcript is the whole session as it is
today. The exit status is 0, 3 when --fail-on finds something, or 130 when it was interrupted.`,
  mostArguments: 1,
  options: {
    since: { type: "string", value: "TIME", about: "only what happened since then: 2026-01-31, 2h, 30d" },
    project: { type: "string", excludes: ["all"], value: "DIR", about: "only sessions of that folder (default: here)" },
    all: { type: "boolean", about: "the sessions of every project" },
    root: rootOption,
    tool: { type: "string", value: "TOOL", multiple: true, about: "only this tool; * stands for anything" },
    event: {
      type: "string",
      value: "EVENT",
      multiple: true,
      about: "only PreToolUse, PostToolUse, PostToolUseFailure or UserPromptSubmit",
    },
    against: {
      type: "string",
      value: "FILE|git:REF",
      about: "list only calls that another app, or the file as of a commit, answers differently",
    },
    "fail-on": {
      type: "string",
      value: "deny|ask|change",
      multiple: true,
      about:
        "exit 3 when a call would be refused; asked about or refused; changed. With --against: of calls that differ",
    },
    "allow-effects": { type: "boolean", about: "let the app write files, start programs and reach the network" },
    limit: { type: "string", value: "N", about: "rows in each list (default: 20, with --json 1000)" },
    json: jsonOption,
  },
  examples: [
    "hookline replay",
    "hookline replay .claude/hooks.ts --since 30d --tool Bash --fail-on deny",
    "hookline replay --all --against git:HEAD~1",
  ],
  async run(call, io) {
    const fails = failuresFrom(call);
    const hooks = await hooksFile(call, io);
    const progress = progressLine("Replaying", io);
    const report = await unlessInterrupted(io, {
      ...whereFrom(call, io),
      env: io.env,
      cwd: io.cwd,
      hooks,
      project: projectFrom(call, io),
      sinceMs: timeFrom(call.text("since")),
      tools: call.texts("tool"),
      events: call.texts("event"),
      against: call.text("against"),
      allowEffects: call.flag("allow-effects"),
      limit: countFrom(call.text("limit"), "limit") ?? (call.flag("json") ? 1_000 : 20),
      signal: io.signal,
      progress: (state) => progress.show(state),
    }).finally(() => progress.end());
    if (report === undefined) return 130;
    const columns = io.terminal.out ? io.terminal.columns : 120;
    await io.out(call.flag("json") ? jsonText(report) : replayText(report, { style: styleFor(io), columns }));
    return fails.some((what) => finds(report, what)) ? 3 : 0;
  },
};

/** Undefined when the person has had enough; everything is cleared away then. */
async function unlessInterrupted({ signal }: Io, options: ReplayOptions): Promise<Report | undefined> {
  try {
    return await replay(options);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

const failures = ["deny", "ask", "change"] as const;
type Failure = (typeof failures)[number];

function failuresFrom(call: Call): readonly Failure[] {
  return call
    .texts("fail-on")
    .flatMap((text) => text.split(",").flatMap((word) => oneOf("fail-on", word, failures) ?? []));
}

/** Counts, not lists: lists are cut. */
function finds({ events, against, changesInAll }: Report, what: Failure): boolean {
  const words = what === "deny" ? ["deny", "block", "halt"] : ["deny", "block", "halt", "ask", "defer"];
  if (against !== undefined) {
    if (what === "change") return against.differing > 0;
    return Object.keys(against.decisions).some((decision) => words.includes(decision));
  }
  if (what === "change") return changesInAll > 0 || events.some(({ outputsChanged }) => outputsChanged > 0);
  return events.some(({ decisions }) => Object.keys(decisions).some((decision) => words.includes(decision)));
}

function projectFrom(call: Call, io: Io): string | undefined {
  const named = call.text("project");
  if (named !== undefined) return resolve(io.cwd, named);
  return call.flag("all") ? undefined : io.cwd;
}

async function hooksFile(call: Call, io: Io): Promise<string> {
  const [named] = call.words;
  const file = named ?? usualHooksFile(io.cwd);
  const path = resolve(io.cwd, file);
  if (await isThere(path)) return path;
  const message = `There is no ${file} in ${io.cwd}. Name the hooks file, or write one with hookline init.`;
  throw new Problem("cli/bad-input", message, { about: { file } });
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
