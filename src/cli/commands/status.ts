import { statusOf } from "../../install/index.ts";
import { Problem } from "../../protocol/index.ts";
import type { Command } from "../command.ts";
import { scopeOf, scopeOptions, standpointOf } from "../install-options.ts";
import { installerFor } from "../installer.ts";
import { statusJson, statusText } from "../print/status.ts";
import { styleFor } from "../print/style.ts";

export const command: Command = {
  usage: "[--scope project|local|user] [--cwd DIR] [--json]",
  about: `Shows what is installed, scope by scope: the settings file, how the agent reaches the app, the daemon, and what is no longer as it was
installed.

Changed code is mentioned and counts as nothing wrong; where you installed it yourself, it is loaded without effects to see whether its
handlers are still the same. The exit status is 0 when everything is as it was installed, 3 when something is not, 4 when nothing is
installed, and 1 when a file cannot be read.`,
  options: { ...scopeOptions },
  examples: ["hookline status", "hookline status --json"],
  async run(call, io) {
    if (call.words.length > 0)
      throw new Problem("cli/usage", "hookline status takes no words. See hookline status --help.");
    const scope = scopeOf(call);
    const all = await statusOf(standpointOf(call, io), installerFor(io), scope ? [scope] : undefined);
    const installed = all.filter((one) => one.installed);
    await io.out(call.flag("json") ? statusJson(all) : statusText(installed, styleFor(io)));
    if (installed.length === 0) return 4;
    return installed.some(({ drift }) => drift.length > 0) ? 3 : 0;
  },
};
