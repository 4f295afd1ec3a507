import type { EventPayload, Explained, Explanation } from "../../engine/internal.ts";
import {
  type EventName,
  escapeControls,
  eventRow,
  Problem,
  stripControl,
  type Warning,
} from "../../protocol/internal.ts";
import type { Command } from "../command-line/command.ts";
import { readObject } from "../command-line/input.ts";
import { clientWarnings, engineOptions, openFrom } from "../options/settings-options.ts";
import { jsonText } from "../print/json.ts";
import { type Style, styleFor } from "../print/style.ts";

export const command: Command = {
  usage: "EVENT [--tool TOOL] [--input JSON|FILE|-] [--json]",
  about: `Says which hooks would run for an event in Hookline's hosts, and why the others would not. Runs nothing. Where Claude Code does
otherwise, the line says so.

With --tool the input is the tool's input; without it, the whole payload.`,
  mostArguments: 1,
  options: {
    tool: { type: "string", value: "TOOL", about: "the tool of a tool event, such as Bash" },
    input: { type: "string", value: "JSON|FILE|-", about: "the tool's input, or the payload" },
    ...engineOptions,
    json: { type: "boolean", about: "print one JSON object" },
  },
  examples: [`hookline explain PreToolUse --tool Bash --input '{"command":"git push"}'`, "hookline explain Stop"],
  async run(call, io) {
    const [event] = call.words;
    if (event === undefined)
      throw new Problem("cli/usage", "hookline explain requires an event, such as Stop. See hookline explain --help.");
    const row = eventRow(event);
    const name = row.name as EventName;
    const given = call.text("input");
    const input = given === undefined ? {} : await readObject(given, "--input", io);
    const tool = call.text("tool");
    if (tool !== undefined && !Object.hasOwn(row.fields, "tool_name")) {
      throw new Problem("cli/usage", `${name} is not about a tool, so --tool has no effect. Leave it out.`);
    }
    const payload = tool === undefined ? input : { tool_name: tool, tool_input: input };
    const engine = await openFrom(call, io);
    try {
      const explanation = engine.explain(name, payload as EventPayload<EventName>);
      // A sketch of a call is enough to explain it: what a whole payload would hold beside it is no news.
      const about = explanation.warnings.filter(({ code }) => code !== "payload-incomplete");
      const told = {
        ...explanation,
        warnings: distinct([...engine.warnings, ...(await clientWarnings(call, io)), ...about]),
      };
      await io.out(call.flag("json") ? jsonText(told) : explanationText(told, styleFor(io)));
      return 0;
    } finally {
      await engine.close();
    }
  },
};

/** What loading said of a hook is said of the event's hooks again. */
function distinct(warnings: readonly Warning[]): readonly Warning[] {
  return [...new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning])).values()];
}

function explanationText({ event, hooks, warnings }: Explanation, style: Style): string {
  const lines = [
    hooks.length === 0 ? `No hook is configured for ${event}.` : `${style.bold(event)} in Hookline's hosts`,
    ...hooks.map((explained) => hookLine(explained, style)),
    ...warnings.map(({ code, message }) => `  ${style.yellow("warning")} ${code}: ${stripControl(message)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function hookLine(explained: Explained, style: Style): string {
  const { hook, detail } = explained;
  const verdict = explained.runs ? style.green("runs".padEnd(11)) : style.yellow(explained.why.padEnd(11));
  const where = hook.file === undefined ? hook.source : `${hook.source}, ${hook.file}`;
  return `  ${verdict} ${escapeControls(hook.name)}\n              ${style.dim(`${escapeControls(detail)} (${escapeControls(where)})`)}`;
}
