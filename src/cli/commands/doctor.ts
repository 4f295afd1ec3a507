import { resolve } from "node:path";
import { diagnose, type Finding } from "../../engine/index.ts";
import type { Command } from "../command.ts";
import { visible } from "../print/judgement.ts";
import { type Style, styleFor } from "../print/style.ts";

export const command: Command = {
  usage: "[--cwd DIR] [--settings FILE]… [--plugin-dir DIR]… [--json]",
  about: `Says what is wrong with the hooks that apply here: settings that cannot be read, programs and scripts that are not there or cannot
be started, matchers that never match, hooks that are off, equal or not approved, files that others may change. Starts nothing.

The exit status is 0 when nothing is wrong, whatever notes there are, and 1 when there is an error or a warning.`,
  options: {
    cwd: { type: "string", value: "DIR", about: "the project folder (default: here)" },
    settings: { type: "string", value: "FILE", multiple: true, about: "a further settings file; may be given again" },
    "plugin-dir": { type: "string", value: "DIR", multiple: true, about: "a plugin's folder; may be given again" },
    json: { type: "boolean", about: "print one JSON object" },
  },
  examples: ["hookline doctor", "hookline doctor --json"],
  async run(call, io) {
    const findings = await diagnose({
      cwd: resolve(io.cwd, call.text("cwd") ?? "."),
      home: io.home,
      env: io.env,
      settings: call.texts("settings").map((file) => (file.trimStart().startsWith("{") ? file : resolve(io.cwd, file))),
      plugins: call.texts("plugin-dir").map((folder) => resolve(io.cwd, folder)),
    });
    const problems = findings.filter(({ level }) => level !== "note").length;
    await io.out(
      call.flag("json")
        ? `${JSON.stringify({ ok: problems === 0, findings }, null, 2)}\n`
        : doctorText(findings, problems, styleFor(io)),
    );
    return problems === 0 ? 0 : 1;
  },
};

function doctorText(findings: readonly Finding[], problems: number, style: Style): string {
  const told = problems === 0 ? "Nothing is wrong." : `${problems} ${problems === 1 ? "problem" : "problems"}.`;
  return `${[...findings.flatMap((finding) => findingLines(finding, style)), told].join("\n")}\n`;
}

function findingLines({ level, code, message, place }: Finding, style: Style): readonly string[] {
  const paint = { error: style.red, warning: style.yellow, note: style.dim }[level];
  const where = place === undefined || message.includes(place) ? [] : [`         ${style.dim(visible(place))}`];
  return [`${paint(level.padEnd(8))} ${code}: ${visible(message)}`, ...where];
}
