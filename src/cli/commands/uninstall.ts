import {
  placesOf,
  purgeTraces,
  type ScopePlaces,
  type ScopeStatus,
  scopes,
  statusOf,
  uninstall,
} from "../../install/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { Call, Command, Io } from "../command-line/command.ts";
import { installerFor, scopeOf, scopeOptions, standpointOf } from "../options/install-options.ts";
import { uninstallJson, uninstallText } from "../print/install-report.ts";
import { styleFor } from "../print/style.ts";

export const command: Command = {
  usage: "[--scope project|local|user] [--dry-run] [--purge] [--json]",
  about: `Takes an app out of an agent's settings again.

A settings file that is as install left it gets its old bytes and its old mode back, and one that install made is removed. When somebody
changed it meanwhile, our entries are cut out and all else stays. Then the lock file and the token go, the daemon is stopped, and the
client in the project's package is the script again. The state that hooks kept and the log stay, unless --purge. Without --scope it is the
one scope that has the app.

The exit status is 0 when it is out, or was not in; 1 when it cannot be done.`,
  mostArguments: 0,
  options: {
    ...scopeOptions,
    "dry-run": { type: "boolean", about: "print what would change, write nothing" },
    purge: { type: "boolean", about: "remove the project's state, the hook log and the backups too" },
  },
  examples: ["hookline uninstall", "hookline uninstall --scope user --dry-run"],
  async run(call, io) {
    const dryRun = call.flag("dry-run");
    const installer = installerFor(io);
    const { places, hooksFile } = await chosen(call, io);
    const done = await uninstall({
      places,
      home: installer.home,
      now: installer.now(),
      dryRun,
      signal: io.signal,
      ...(hooksFile === undefined ? {} : { hooksFile }),
    });
    if (!dryRun && done.endsDaemon && done.hooksFile !== undefined && !(await isElsewhere(done.hooksFile, call, io))) {
      await installer.daemon.dropEndpoint(done.hooksFile);
    }
    const purged = call.flag("purge") ? await purgeTraces(places, installer.home, dryRun) : [];
    await io.out(
      call.flag("json")
        ? uninstallJson(done, places, dryRun, purged)
        : uninstallText(done, places, { dryRun, purged, scopeNamed: scopeOf(call) !== undefined }, styleFor(io)),
    );
    return 0;
  },
};

/** The scope that was named, or the only one that has something of ours. */
async function chosen(call: Call, io: Io): Promise<{ readonly places: ScopePlaces; readonly hooksFile?: string }> {
  const named = scopeOf(call);
  const standpoint = standpointOf(call, io);
  const all = await statusOf(standpoint, installerFor(io), named ? [named] : undefined, "nothing");
  const installed = all.filter((one) => one.installed);
  if (installed.length > 1) {
    const scopes = installed.map(({ places }) => places.scope).join(" and ");
    throw new Problem("cli/usage", `It is installed in ${scopes} scope. Say which: --scope.`);
  }
  const found: ScopeStatus | undefined = installed[0] ?? all[0];
  return {
    // Outside every project there is the user's scope alone; but a scope that was named is that one, or a problem.
    places: found?.places ?? placesOf(named ?? "user", standpoint),
    ...(found?.hooksFile === undefined ? {} : { hooksFile: found.hooksFile }),
  };
}

/** Whether another scope still has entries that need the daemon. One whose file cannot be read may have some. */
async function isElsewhere(hooksFile: string, call: Call, io: Io): Promise<boolean> {
  const standpoint = standpointOf(call, io);
  const looked = scopes.map((scope) => statusOf(standpoint, installerFor(io), [scope], "nothing").catch(problemOf));
  return (await Promise.all(looked)).some(
    (all) => all instanceof Problem || all.some((one) => one.installed && one.hooksFile === hooksFile),
  );
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
