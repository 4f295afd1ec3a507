import type { ListedHook } from "../../engine/internal.ts";
import { escapeControls, stripControl, type Warning } from "../../protocol/internal.ts";
import type { Command } from "../command-line/command.ts";
import { clientWarnings, engineOptions, openFrom } from "../options/settings-options.ts";
import { jsonText } from "../print/json.ts";
import { type Style, styleFor } from "../print/style.ts";

export const command: Command = {
  usage: "[--cwd DIR] [--settings FILE]… [--json]",
  about: `Lists every configured hook with its source, matcher, type, trust state and problems, and the permission rules that are
off or do not cover what they seem to. Runs nothing.`,
  options: { ...engineOptions, json: { type: "boolean", about: "print one JSON object" } },
  examples: ["hookline list", "hookline list --settings team.json --json"],
  async run(call, io) {
    const engine = await openFrom(call, io);
    try {
      const hooks = engine.list();
      const { policy } = await engine.rules();
      const warnings = [...engine.warnings, ...policy.warnings, ...(await clientWarnings(call, io))];
      await io.out(call.flag("json") ? jsonText({ hooks, warnings }) : listText(hooks, warnings, styleFor(io)));
      return 0;
    } finally {
      await engine.close();
    }
  },
};

/** A warning about settings or about a permission rule. */
type Told = Pick<Warning, "message"> & { readonly code: string };

function listText(hooks: readonly ListedHook[], warnings: readonly Told[], style: Style): string {
  const lines =
    hooks.length === 0
      ? ["No hooks are configured here."]
      : byEvent(hooks).flatMap((group) => eventLines(group, style));
  return `${[...lines, ...warnings.map(({ code, message }) => `${style.yellow("warning")} ${code}: ${stripControl(message)}`)].join("\n")}\n`;
}

function byEvent(hooks: readonly ListedHook[]): readonly (readonly ListedHook[])[] {
  const groups = new Map<string, ListedHook[]>();
  for (const hook of hooks) groups.set(hook.hook.event, [...(groups.get(hook.hook.event) ?? []), hook]);
  return [...groups.values()];
}

function eventLines(hooks: readonly ListedHook[], style: Style): string[] {
  const [first] = hooks;
  return [style.bold(escapeControls(first?.hook.event ?? "")), ...hooks.map((hook) => hookLine(hook, style))];
}

function hookLine({ hook, trust, if: condition }: ListedHook, style: Style): string {
  const matcher = hook.matcher ? ` [${escapeControls(hook.matcher)}]` : "";
  const rule = condition ? ` if ${escapeControls(condition)}` : "";
  const state =
    trust === "trusted" ? style.green(trust) : style.yellow(trust === "new" ? "not trusted" : "changed since trusted");
  const where = hook.file === undefined ? hook.source : `${hook.source}, ${hook.file}`;
  return `  ${hook.type}${matcher}${rule}  ${escapeControls(hook.name)}\n    ${state} ${style.dim(escapeControls(where))}`;
}
