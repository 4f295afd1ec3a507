import {
  type InstallScope,
  installScopes,
  purgeTraces,
  type ScopeStatus,
  scopeFiles,
  statusOf,
  uninstall,
} from "../../install/internal.ts";
import { defined, Problem } from "../../protocol/internal.ts";
import type { Command, Io, ParsedCall } from "../command-line/command.ts";
import { givenScope, installContext, installTarget, scopeOptions } from "../options/install-options.ts";
import { uninstallJson, uninstallText } from "../print/install-report.ts";
import { styleFor } from "../print/terminal.ts";
import { revokingRemoved } from "./approve-entries.ts";

export const command: Command = {
  usage: "[--scope project|local|user] [--dry-run] [--purge] [--json]",
  about: `Removes an app from an agent's settings.

If the settings file has not changed since the installation, its old bytes and mode are restored; a file that install created is deleted.
If it has changed, only the entries of the app are removed. The lock file and the token are deleted, and the daemon is stopped. State,
background tasks, log and backups are kept, unless --purge is given. All projects share one log: --purge deletes it for all of them.
The approvals of its entries are revoked. The state of sessions and of the user is always kept. The default scope is the one in which the app is installed.
Exit status: 0 when the app was removed or was not installed, 1 on failure.`,
  options: {
    ...scopeOptions,
    "dry-run": { about: "print the changes without making them" },
    purge: { about: "also delete the project's state and tasks, the backups, and the hook log of all projects" },
  },
  examples: ["hookline uninstall", "hookline uninstall --scope user --dry-run"],
  async run(call, io) {
    const dryRun = call.flag("dry-run");
    const installer = installContext(io);
    const { places, hooksFile } = await selectedScope(call, io);
    const remove = () =>
      uninstall({
        places,
        home: installer.home,
        now: installer.now(),
        dryRun,
        signal: io.signal,
        ...defined({ hooksFile }),
      });
    const done = dryRun ? await remove() : await revokingRemoved(places, io, remove);
    const isLast =
      done.endsDaemon &&
      done.hooksFile !== undefined &&
      !(await isInstalledElsewhere(done.hooksFile, places.scope, call, io));
    const unused = isLast ? done.hooksFile : undefined;
    if (!dryRun && unused !== undefined) await installer.daemon.dropEndpoint(unused);
    const purged = call.flag("purge")
      ? await purgeTraces(places, installer.home, { dryRun, ...defined({ hooksFile: unused }) })
      : [];
    await io.out(
      call.flag("json")
        ? uninstallJson(done, places, dryRun, purged)
        : uninstallText(done, places, { dryRun, purged, scopeNamed: givenScope(call) !== undefined }, styleFor(io)),
    );
    return 0;
  },
};

/** The scope that was named, or the only one that has an app. */
async function selectedScope(call: ParsedCall, io: Io) {
  const named = givenScope(call);
  const target = installTarget(call, io);
  const all = await statusOf(target, installContext(io), named ? [named] : undefined, "nothing");
  const installed = all.filter((one) => one.installed);
  if (installed.length > 1) {
    const scopes = installed.map(({ places }) => places.scope).join(" and ");
    throw new Problem("cli/usage", `The app is installed in several scopes: ${scopes}. Choose one with --scope.`);
  }
  const status: ScopeStatus | undefined = installed[0] ?? all[0];
  return {
    // Outside a project only the user scope exists; a scope that was named must exist.
    places: status?.places ?? scopeFiles(named ?? "user", target),
    ...defined({ hooksFile: status?.hooksFile }),
  };
}

/** Whether another scope has entries of the same app. An unreadable settings file might. */
async function isInstalledElsewhere(file: string, here: InstallScope, call: ParsedCall, io: Io): Promise<boolean> {
  const target = installTarget(call, io);
  const others = installScopes.filter((scope) => scope !== here);
  const statuses = others.map((scope) => statusOf(target, installContext(io), [scope], "nothing").catch(problemOf));
  return (await Promise.all(statuses)).some(
    (all) => all instanceof Problem || all.some((one) => one.installed && one.hooksFile === file),
  );
}

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
