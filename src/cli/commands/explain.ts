import type { EventPayload, Explained, Explanation } from "../../engine/internal.ts";
import { installedNeverRunning } from "../../install/internal.ts";
import {
  type EventName,
  escapeControls,
  eventRow,
  Problem,
  stripControl,
  type Warning,
} from "../../protocol/internal.ts";
import type { AppWarning } from "../../sdk/internal.ts";
import type { Command } from "../command-line/command.ts";
import { readObject, withToolHint } from "../command-line/input.ts";
import {
  engineOptions,
  engineSettings,
  settingsWarnings,
  withEngine,
  withoutHooks,
} from "../options/settings-options.ts";
import { jsonText, type Style, styleFor } from "../print/terminal.ts";

export const command: Command = {
  usage: "EVENT [--tool TOOL] [--input JSON|FILE|-] [--json]",
  about: `Prints which hooks would run for an event in Hookline, and why the others would not, and where Claude Code differs. Nothing is run.

With --tool, --input is the input of the tool; without it, the whole payload.`,
  mostArguments: 1,
  options: {
    tool: { value: "TOOL", about: "tool of a tool event, such as Bash" },
    input: { value: "JSON|FILE|-", about: "input of the tool, or the payload" },
    ...engineOptions,
    json: { about: "print one JSON object" },
  },
  examples: [`hookline explain PreToolUse --tool Bash --input '{"command":"git push"}'`, "hookline explain Stop"],
  async run(call, io) {
    const [event] = call.operands;
    if (event === undefined)
      throw new Problem("cli/usage", "explain requires an event, such as Stop. See hookline explain --help.");
    const row = eventRow(event);
    const name = row.name as EventName;
    const given = call.text("input");
    const input = given === undefined ? {} : await readObject(given, "--input", io);
    const tool = call.text("tool");
    if (tool !== undefined && !Object.hasOwn(row.fields, "tool_name")) {
      throw new Problem("cli/usage", `${name} is not a tool event. Omit --tool.`);
    }
    const payload = tool === undefined ? input : { tool_name: tool, tool_input: input };
    return withEngine(call, io, async (engine) => {
      const explanation = engine.explain(name, payload as EventPayload<EventName>);
      // An incomplete payload is enough to explain an event.
      const about = explanation.warnings.filter(({ code }) => code !== "payload-incomplete");
      const { cwd } = engineSettings(call, io);
      const off = await installedNeverRunning(name, { cwd, home: io.home, env: io.env });
      const report = {
        ...explanation,
        warnings: [
          ...distinct([...(await settingsWarnings(engine, call, io)), ...about]),
          ...off.map((message) => ({ code: "never-runs" as const, message })),
        ],
      };
      await io.out(call.flag("json") ? jsonText(report) : explanationText(report, styleFor(io)));
      return 0;
    }).catch((error: unknown) => {
      throw withToolHint(error, "Name a tool, such as --tool Bash.");
    });
  },
};

/** Loading and explaining can report the same warning. */
function distinct(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning])).values()];
}

type ExplanationReport = Omit<Explanation, "warnings"> & {
  readonly warnings: readonly Pick<AppWarning | Warning, "code" | "message">[];
};

function explanationText({ event, hooks, warnings }: ExplanationReport, style: Style): string {
  const lines = [
    hooks.length === 0
      ? withoutHooks(`No hook is configured for ${event}.`, warnings)
      : `${style.bold(event)} in Hookline`,
    ...hooks.map((explained) => hookLine(explained, style)),
    ...warnings.map(({ code, message }) => `  ${style.yellow("warning")} ${code}: ${stripControl(message)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function hookLine(explained: Explained, style: Style): string {
  const { hook, detail } = explained;
  const label = explained.runs ? (explained.denies ? "denies" : "runs") : explained.why;
  const verdict = (label === "runs" ? style.green : style.yellow)(label.padEnd(11));
  const where = hook.file === undefined ? hook.source : `${hook.source}, ${hook.file}`;
  return `  ${verdict} ${escapeControls(hook.name)}\n              ${style.dim(`${escapeControls(detail)} (${escapeControls(where)})`)}`;
}
