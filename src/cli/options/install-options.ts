import { daemonStatus, dropEndpoint, endpointFor, stopDaemon } from "../../daemon/internal.ts";
import { packageFile, packageVersion } from "../../files/internal.ts";
import {
  compileClient,
  type DaemonControl,
  type Installer,
  type InstallScope,
  type InstallTarget,
  installScopes,
} from "../../install/internal.ts";
import type { Io, OptionSpec, ParsedCall } from "../command-line/command.ts";
import { choice, existingFolder } from "./option-values.ts";

/** Options that install, uninstall and status share. */
export const scopeOptions: Readonly<Record<"scope" | "cwd" | "json", OptionSpec>> = {
  scope: {
    value: "project|local|user",
    about: "settings file: shared in the project, yours in the project, yours everywhere",
  },
  cwd: { value: "DIR", about: "project directory (default: the nearest one, searched upward)" },
  json: { about: "print one JSON object" },
};

/** The value of --scope; undefined when it was not given. */
export function givenScope(call: ParsedCall): InstallScope | undefined {
  return choice(call, "scope", installScopes);
}

/** Where to install. Throws a `Problem` when --cwd names a directory that does not exist. */
export function installTarget(call: ParsedCall, io: Io): InstallTarget {
  const { home, env } = io;
  const project = projectFolder(call, io);
  return { cwd: io.cwd, home, env, ...(project === undefined ? {} : { project }) };
}

/** The directory that --cwd names. */
export function projectFolder(call: ParsedCall, io: Io): string | undefined {
  const named = call.text("cwd");
  return named === undefined ? undefined : existingFolder("cwd", named, io);
}

/** What the installer needs from the command line: this package, this Node, the daemon. */
export function installContext(io: Io): Installer & { readonly daemon: DaemonControl } {
  const { env, home, signal } = io;
  return {
    packageRoot: packageFile(),
    version: packageVersion(),
    node: process.execPath,
    home: { env, home },
    now: () => new Date(),
    signal,
    daemon: {
      endpointFor: (file, options) => endpointFor(file, { ...options, env }),
      daemonStatus: (file) => daemonStatus(file, { env }),
      stopDaemon: (file) => stopDaemon(file, { env }),
      dropEndpoint: (file) => dropEndpoint(file, { env }),
    },
  };
}

/** Compiles the client of this package for later calls. Without it they use the script, which is slower. */
export async function compileOwnClient({ env, home, signal }: Pick<Io, "env" | "home" | "signal">): Promise<void> {
  await compileClient({ packageRoot: packageFile(), home: { env, home }, env, signal });
}
