import { parentSettings, statusOf } from "../../install/internal.ts";
import type { Command } from "../command-line/command.ts";
import { givenScope, installContext, installTarget, scopeOptions } from "../options/install-options.ts";
import { statusJson, statusText } from "../print/install-status.ts";
import { styleFor } from "../print/terminal.ts";

export const command: Command = {
  usage: "[--scope project|local|user] [--cwd DIR] [--json]",
  about: `Shows what is installed in each scope: the settings file, how the agent calls the app, the daemon, and what has changed since the
installation.

Changed code is reported but is not an error. If you installed the app yourself, it is loaded without side effects to compare its handlers.
Exit status: 0 when nothing else has changed, 3 when something has, a handler never runs or a settings file cannot be read, 4 when nothing is
installed, 1 when a lock file cannot be read.`,
  options: { ...scopeOptions },
  examples: ["hookline status", "hookline status --json"],
  async run(call, io) {
    const scope = givenScope(call);
    const target = installTarget(call, io);
    const all = await statusOf(target, installContext(io), scope && [scope], "run", "report");
    const installed = all.filter((one) => one.installed || one.drift.length > 0);
    const warnings = scope === "user" ? [] : await parentSettings(target);
    await io.out(call.flag("json") ? statusJson(all, warnings) : statusText(installed, warnings, styleFor(io)));
    if (installed.length === 0) return 4;
    return installed.some(({ drift }) => drift.length > 0) ? 3 : 0;
  },
};
