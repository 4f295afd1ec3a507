import {
  escapeControls,
  foreignName,
  foreignNameText,
  type Outcome,
  Problem,
  type RunRecord,
  type Skip,
  stripControl,
  type Warning,
} from "../../protocol/internal.ts";
import type { Command } from "../command-line/command.ts";
import { readObject, withToolHint } from "../command-line/input.ts";
import { engineOptions, settingsWarnings, withEngine } from "../options/settings-options.ts";
import { jsonText, type Style, styleFor } from "../print/terminal.ts";

export const command: Command = {
  usage: "EVENT [--input FILE|-] [--cwd DIR] [--settings FILE]… [--json] [--exit-code]",
  about: `Sends one event through the hooks in effect and prints the outcome.

The payload is a JSON object: a file, - for standard input, or JSON. Without --input it is empty. The command waits for background
hooks before it exits; Ctrl-C stops them.
Exit status: 0 whatever the outcome is; with --exit-code 2 for deny or block and 3 for ask; 1 on failure.`,
  mostArguments: 1,
  options: {
    input: { value: "FILE|-", about: "payload of the event" },
    ...engineOptions,
    json: { about: "print one JSON object" },
    "exit-code": { about: "exit with 2 for deny or block and 3 for ask" },
  },
  examples: [
    `hookline fire PreToolUse --input '{"tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"t1","transcript_path":"t.jsonl"}'`,
    "hookline fire Stop --settings team.json --json --input - < payload.json",
  ],
  async run(call, io) {
    const [event] = call.operands;
    if (event === undefined)
      throw new Problem("cli/usage", "fire requires an event, such as PreToolUse. See hookline fire --help.");
    const input = call.text("input");
    const payload = input === undefined ? {} : await readObject(input, "--input", io);
    return withEngine(call, io, async (engine) => {
      const outcome = await engine.fireUnknown(event, payload, { signal: io.signal });
      const settings = await settingsWarnings(engine, call, io);
      const warnings = [...settings, ...foreignWarning(event, payload), ...outcome.warnings];
      const report = { ...outcome, warnings };
      await io.out(call.flag("json") ? jsonText(report) : outcomeText(report, styleFor(io)));
      return call.flag("exit-code") ? exitCode(outcome) : 0;
    }).catch((error: unknown) => {
      throw withToolHint(error, `Pass one, such as --input '{"tool_name":"Bash","tool_input":{"command":"ls"}}'.`);
    });
  },
};

/** A payload of another agent matches no hook, since hooks are matched by name. */
function foreignWarning(event: string, payload: Readonly<Record<string, unknown>>): readonly Warning[] {
  const foreign = foreignName(event, payload["tool_name"]);
  if (foreign === undefined) return [];
  const message = `${foreignNameText(foreign)} Claude Code never sends it, and hookline run refuses it.`;
  return [{ code: "foreign-name", message, place: foreign.name }];
}

function exitCode({ decision, blocked }: Outcome): number {
  if (decision === "deny" || blocked) return 2;
  return decision === "ask" ? 3 : 0;
}

/** The decision first, then the runs, then the skipped hooks with the reason. */
function outcomeText(outcome: Outcome, style: Style): string {
  const lines = [
    headline(outcome, style),
    ...field("reason", outcome.reason),
    ...field("stop", outcome.continue ? undefined : (outcome.stopReason ?? "the run ends")),
    ...field("input", outcome.updatedInput === undefined ? undefined : JSON.stringify(outcome.updatedInput)),
    ...outcome.additionalContext.flatMap((text) => field("context", text)),
    ...outcome.systemMessages.flatMap((text) => field("message", text)),
    ...Object.entries(outcome.output).flatMap(([name, value]) => field(name, shown(value))),
    ...outcome.runs.map((record) => runLine(record, style)),
    ...outcome.skipped.map((skip) => skipLine(skip, style)),
    ...outcome.warnings.map(({ code, message }) => `  ${style.yellow("warning")} ${code}: ${stripControl(message)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function headline({ event, decision, blocked }: Outcome, style: Style): string {
  const color = decision === "deny" || blocked ? style.red : decision === "ask" ? style.yellow : style.green;
  return `${style.bold(event)}  ${color(decision)}${blocked ? style.red(" (blocked)") : ""}`;
}

function field(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [`  ${name.padEnd(8)} ${stripControl(value).replaceAll("\n", "\n           ")}`];
}

function runLine({ hook, ended, verdict, durationMs, background }: RunRecord, style: Style): string {
  const how = background ? "in the background" : endText(ended);
  return `  ${style.green("ran")}      ${escapeControls(hook.name)}  ${style.dim(`${hook.source}, ${how}, ${verdict.kind}, ${Math.round(durationMs)} ms`)}`;
}

function endText(ended: RunRecord["ended"]): string {
  if (ended.by === "exit") return `exit ${ended.code}`;
  if (ended.by === "http") return `http ${ended.status}`;
  return ended.by;
}

function skipLine({ hook, why, detail }: Skip, style: Style): string {
  return `  ${style.dim("skipped")}  ${escapeControls(hook.name)}  ${style.dim(`${why}: ${escapeControls(detail)}`)}`;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
