import { statusOf } from "../../install/internal.ts";
import type { Command } from "../command-line/command.ts";
import { installerFor, scopeOf, scopeOptions, standpointOf } from "../options/install-options.ts";
import { statusJson, statusText } from "../print/install-status.ts";
import { styleFor } from "../print/style.ts";

export const command: Command = {
  usage: "[--scope project|local|user] [--cwd DIR] [--json]",
  about: `Shows what is installed, scope by scope: the settings file, how the agent reaches the app, the daemon, and what is no longer as it was
installed.

Changed code is mentioned and counts as nothing wrong; where you installed it yourself, it is loaded without effects to see whether its
handlers are still the same. The exit status is 0 when everything is as it was installed, 3 when something is not or a settings file is no
JSON, 4 when nothing is installed, and 1 when a file cannot be read.`,
  mostArguments: 0,
  options: { ...scopeOptions },
  examples: ["hookline status", "hookline status --json"],
  async run(call, io) {
    const scope = scopeOf(call);
    const asked = scope ? [scope] : undefined;
    const all = await statusOf(standpointOf(call, io), installerFor(io), asked, "run", "report");
    const told = all.filter((one) => one.installed || one.drift.length > 0);
    await io.out(call.flag("json") ? statusJson(all) : statusText(told, styleFor(io)));
    if (told.length === 0) return 4;
    return told.some(({ drift }) => drift.length > 0) ? 3 : 0;
  },
};
