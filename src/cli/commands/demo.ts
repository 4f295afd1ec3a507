import { type Outcome, Problem } from "../../protocol/internal.ts";
import type { Command } from "../command-line/command.ts";
import { type DemoRecording, missingSteps, playDemo } from "../demo/play.ts";
import { type DemoProject, makeDemoProject } from "../demo/project.ts";
import { jsonText, type Style, styleFor } from "../print/terminal.ts";

export const command: Command = {
  usage: "[--fast] [--keep] [--json]",
  about: `Runs an offline demo: a real agent session with a scripted model, in a temporary project, with real hooks.

The agent fixes a small bug while hooks deny, rewrite, ask, redact, and require passing tests. Every event, hook and verdict is shown as
it happens. It needs no API key and no network, and changes nothing outside a temporary directory. Exit status: 1 when a step fails.`,
  options: {
    fast: { about: "do not pause between steps" },
    "no-studio": { about: "reserved; has no effect yet", hidden: true },
    keep: { about: "keep the temporary directory and print its path" },
    json: { about: "print the outcomes as a JSON list" },
  },
  examples: ["hookline demo", "hookline demo --fast --keep", "hookline demo --fast --json"],
  async run(call, io) {
    const json = call.flag("json");
    const style = styleFor(io);
    const project = await makeDemoProject(io.env["PATH"]);
    try {
      const delayMs = call.flag("fast") || json ? 0 : 600;
      const say = json ? async () => undefined : io.out;
      const recording = await playDemo(project, { delayMs, say, style, signal: io.signal });
      if (json) await io.out(jsonText(recording.outcomes));
      else await io.out(summary(recording, style) + ending(project, call.flag("keep"), style));
      if (io.signal.aborted) return 130;
      const missing = missingSteps(recording);
      if (missing.length > 0) throw new Problem("demo/off-script", missing.join("\n"));
      return 0;
    } finally {
      if (!call.flag("keep")) await project.remove();
    }
  },
};

function summary({ outcomes, result }: DemoRecording, style: Style): string {
  const runs = outcomes.flatMap((outcome) => outcome.runs);
  const count = (holds: (outcome: Outcome) => boolean): number => outcomes.filter(holds).length;
  const tokens = Object.values(result.modelUsage).reduce(
    (sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens,
    0,
  );
  const ms = runs.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const lines = [
    `${outcomes.length} events, ${runs.length} hook processes, ${Math.round(ms)} ms in hooks`,
    `${count(({ event, decision }) => event === "PreToolUse" && decision === "deny")} denied, ${count(({ updatedInput }) => updatedInput !== undefined)} rewritten, ${count(({ decision }) => decision === "ask")} asked, ${count(({ event, blocked }) => event === "Stop" && blocked)} sent back to work`,
    `${tokens} tokens of a scripted model; a real one would cost $${result.total_cost_usd.toFixed(4)}`,
  ];
  return section("What happened", lines, style);
}

function section(title: string, lines: readonly string[], style: Style): string {
  return `\n${style.bold(title)}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function ending({ root, folder }: DemoProject, keep: boolean, style: Style): string {
  const kept = keep
    ? `\nThe directory is kept: ${root}\nIts hooks are in ${folder}/hooks and ${folder}/.claude/settings.json.\n`
    : "";
  const next = [
    "npx hookline init              create your own typed hooks file, with a test",
    "npx hookline list              list every hook that is configured here",
    `npx hookline explain PreToolUse --tool Bash --input '{"command":"git push"}'`,
  ];
  return kept + section("With your own settings", next, style);
}
