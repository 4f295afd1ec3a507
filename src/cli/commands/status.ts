import { statusOf } from "../../install/internal.ts";
import type { Command } from "../command-line/command.ts";
import { installContext, installTarget, scopeOf, scopeOptions } from "../options/install-options.ts";
import { statusJson, statusText } from "../print/install-status.ts";
import { styleFor } from "../print/terminal.ts";

export const command: Command = {
  usage: "[--scope project|local|user] [--cwd DIR] [--json]",
  about: `Shows what is installed in each scope: the settings file, how the agent calls the app, the daemon, and what has changed since the
installation.

Changed code is reported but is not an error; if you installed it yourself, it is loaded without effects to compare its handlers.
Exit status: 0 when nothing else has changed, 3 when something has or a settings file is not valid JSON, 4 when nothing is installed, 1
when a file cannot be read.`,
  mostArguments: 0,
  options: { ...scopeOptions },
  examples: ["hookline status", "hookline status --json"],
  async run(call, io) {
    const scope = scopeOf(call);
    const all = await statusOf(installTarget(call, io), installContext(io), scope && [scope], "run", "report");
    const installed = all.filter((one) => one.installed || one.drift.length > 0);
    await io.out(call.flag("json") ? statusJson(all) : statusText(installed, styleFor(io)));
    if (installed.length === 0) return 4;
    return installed.some(({ drift }) => drift.length > 0) ? 3 : 0;
  },
};
