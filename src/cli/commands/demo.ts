import { setTimeout as sleep } from "node:timers/promises";
import { openEngine, stripControl } from "../../engine/index.ts";
import { eventNames, type Outcome, type RunRecord, rowOf } from "../../protocol/index.ts";
import type { Command } from "../command.ts";
import { makeDemoProject } from "../demo/project.ts";
import { type Stop, tour } from "../demo/tour.ts";
import { type Style, styleFor } from "../print/style.ts";

export const command: Command = {
  usage: "[--fast] [--no-studio] [--keep]",
  about: `Shows real hooks deciding about real events: a short agent session, offline, in a temporary project.

Every event goes through the engine and starts the hooks of the project's settings.json; what you see is what they answered.`,
  options: {
    fast: { type: "boolean", about: "do not pause between the steps" },
    "no-studio": { type: "boolean", about: "do not open the studio at the end" },
    keep: { type: "boolean", about: "keep the temporary project and say where it is" },
  },
  examples: ["hookline demo", "hookline demo --fast --keep"],
  async run(call, io) {
    const style = styleFor(io);
    const project = await makeDemoProject();
    const pauseMs = call.flag("fast") || !io.terminal.out ? 0 : 700;
    const engine = await openEngine({
      cwd: project.folder,
      home: project.home,
      env: { ...io.env, HOME: project.home, HOOKLINE_HOME: `${project.root}/state` },
      // The project is ours, written a moment ago: there is nobody to ask whether its hooks may run.
      trust: "implicit",
      interactive: true,
    });
    try {
      await io.out(
        `${style.bold("Hookline")} knows ${eventNames.length} events. Here is a session with hooks on seven of them.\n\n`,
      );
      for (const [index, stop] of tour(project.folder).entries()) {
        await io.out(
          stopText(index + 1, stop, await engine.fire(stop.event, stop.payload, { signal: io.signal }), style),
        );
        await sleep(pauseMs, undefined, { signal: io.signal });
      }
      await io.out(ending(project.settings, call.flag("keep"), style));
      return 0;
    } finally {
      await engine.close({ waitMs: 2_000 });
      if (!call.flag("keep")) await project.remove();
    }
  },
};

function stopText(number: number, { says, event, payload }: Stop, outcome: Outcome, style: Style): string {
  const tool = payload["tool_name"] === undefined ? "" : `:${String(payload["tool_name"])}`;
  const lines = [
    `${style.dim(String(number).padStart(2))} ${style.bold(says)}`,
    `   ${style.cyan(event + tool)} ${style.dim(detailOf(payload))}`,
    ...outcome.runs.map((record) => `   ${runText(record, style)}`),
    ...outcome.skipped.map(({ hook, why }) => style.dim(`   · ${hook.name} did not run: ${why}`)),
    `   ${decisionText(outcome, style)}`,
  ];
  return `${lines.join("\n")}\n\n`;
}

function detailOf({ tool_input: input, prompt, source, last_assistant_message: last }: Stop["payload"]): string {
  const { command, file_path: file } = (input ?? {}) as Record<string, unknown>;
  return String(command ?? file ?? prompt ?? last ?? source ?? "");
}

function runText({ hook, background, ended, durationMs }: RunRecord, style: Style): string {
  const how = background ? "started, runs in the background" : ended.by === "exit" ? `exit ${ended.code}` : ended.by;
  const name = hook.name.replace('sh "$CLAUDE_PROJECT_DIR/', "").replace(/"$/, "");
  return `${style.green("✓")} ${name}  ${style.dim(`${how}, ${Math.round(durationMs)} ms`)}`;
}

function decisionText(
  { decision, blocked, reason, updatedInput, additionalContext, event }: Outcome,
  style: Style,
): string {
  if (updatedInput !== undefined) return style.yellow(`→ ${decision}, but with ${JSON.stringify(updatedInput)}`);
  const why = reason === undefined ? "" : `: ${stripControl(reason)}`;
  if (blocked) return style.red(`→ ${rowOf(event).onBlock === "goOn" ? "go on working" : "refused"}${why}`);
  if (decision !== "none") return style.yellow(`→ ${decision === "deny" ? "feedback for the model" : decision}${why}`);
  if (additionalContext.length > 0) return style.blue(`→ for the model: ${stripControl(additionalContext.join(" "))}`);
  return style.green("→ goes on");
}

function ending(settings: string, keep: boolean, style: Style): string {
  const where = keep ? `The project is kept; its hooks are in ${settings}.\n` : "";
  const next = [
    "  hookline list                                   every hook that is configured here",
    `  hookline explain PreToolUse --tool Bash --input '{"command":"git push"}'`,
    `  hookline fire Stop                              send an event through your hooks`,
  ];
  return `${where}${style.bold("Try it on your own settings:")}\n${next.join("\n")}\n`;
}
