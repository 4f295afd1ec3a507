import type { ListedHook } from "../../engine/internal.ts";
import { escapeControls, groupBy, stripControl, type Warning, type WarningCode } from "../../protocol/internal.ts";
import type { Command } from "../command-line/command.ts";
import { engineOptions, settingsWarnings, withEngine, withoutHooks } from "../options/settings-options.ts";
import { jsonText, type Style, styleFor } from "../print/terminal.ts";

export const command: Command = {
  usage: "[--cwd DIR] [--settings FILE]… [--json]",
  about: `Lists every configured hook with its source, matcher, type, trust state and problems, and the permission rules that are disabled
or do not cover what they seem to cover. Nothing is run.`,
  options: { ...engineOptions, json: { about: "print one JSON object" } },
  examples: ["hookline list", "hookline list --settings team.json --json"],
  async run(call, io) {
    return withEngine(call, io, async (engine) => {
      const hooks = engine.list();
      const warnings = await settingsWarnings(engine, call, io);
      await io.out(call.flag("json") ? jsonText({ hooks, warnings }) : listText(hooks, warnings, styleFor(io)));
      return 0;
    });
  },
};

function listText(hooks: readonly ListedHook[], warnings: readonly Warning[], style: Style): string {
  const lines =
    hooks.length === 0
      ? [withoutHooks("No hooks are configured here.", warnings)]
      : [...groupBy(hooks, ({ hook }) => hook.event)].flatMap(([event, group]) => [
          style.bold(escapeControls(event)),
          ...group.map((hook) => hookLine(hook, style)),
        ]);
  return `${[...lines, ...warnings.map(({ code, message }) => `${style.yellow("warning")} ${code}: ${stripControl(message)}`)].join("\n")}\n`;
}

function hookLine(listed: ListedHook, style: Style): string {
  const { hook, if: condition } = listed;
  const matcher = hook.matcher ? ` [${escapeControls(hook.matcher)}]` : "";
  const rule = condition ? ` if ${escapeControls(condition)}` : "";
  const where = hook.file === undefined ? hook.source : `${hook.source}, ${hook.file}`;
  return `  ${escapeControls(hook.type)}${matcher}${rule}  ${escapeControls(hook.name)}\n    ${stateText(listed, style)} ${style.dim(escapeControls(where))}`;
}

function stateText({ trust, problems, denies }: ListedHook, style: Style): string {
  // It is skipped, or with `onFailure: "block"` denies what it matches; the warning says which.
  if (problems.some(({ code }) => code === "hook-invalid")) return style.yellow("cannot be used");
  if (problems.some(({ code }) => neverRuns.has(code))) return style.yellow("never runs");
  if (problems.some(({ code }) => code === "hook-empty")) return style.yellow("does nothing");
  if (trust === "trusted") return style.green(trust);
  if (trust === "new") return style.yellow("not trusted");
  return style.yellow(`changed since trusted${denies ? "; denies until approved" : ""}`);
}

/** A hook with one of these problems must not look as if it were active. */
const neverRuns: ReadonlySet<WarningCode> = new Set(["type-unsupported", "if-invalid", "if-ignored"]);
