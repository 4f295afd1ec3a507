import { statSync } from "node:fs";
import { resolve } from "node:path";
import { daemonStatus, dropEndpoint, endpointFor, stopDaemon } from "../../daemon/internal.ts";
import { packageFile, packageVersion } from "../../files/internal.ts";
import {
  compileClient,
  type DaemonDoor,
  type Installer,
  type Scope,
  type Standpoint,
  scopes,
} from "../../install/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { Call, Io, Option } from "../command-line/command.ts";
import { oneOf } from "../option-values.ts";

/** The options that install, uninstall and status share. */
export const scopeOptions: Readonly<Record<"scope" | "cwd" | "json", Option>> = {
  scope: {
    type: "string",
    value: "project|local|user",
    about: "which settings file: everybody's, yours here, yours everywhere",
  },
  cwd: { type: "string", value: "DIR", about: "the project folder (default: the nearest one from here up)" },
  json: { type: "boolean", about: "print one JSON object" },
};

/** The scope that was asked for; undefined when none was. */
export function scopeOf(call: Call): Scope | undefined {
  return oneOf("scope", call.text("scope"), scopes);
}

/** Contract: a folder that was named and is not there is a `Problem`; nothing would be found in it. */
export function standpointOf(call: Call, io: Io): Standpoint {
  const { home, env } = io;
  const project = namedFolder(call, io);
  return { cwd: io.cwd, home, env, ...(project === undefined ? {} : { project }) };
}

/** What --cwd names. */
export function namedFolder(call: Call, io: Io): string | undefined {
  const named = call.text("cwd");
  if (named === undefined) return undefined;
  const folder = resolve(io.cwd, named);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
  throw new Problem("cli/usage", `--cwd names ${folder}, which does not exist.`, { about: { folder } });
}

/** What installing is lent by the command line: this package, this Node, the daemon. */
export function installerFor(io: Io): Installer & { readonly daemon: DaemonDoor } {
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

/**
 * Has this package's client compiled for the calls to come; without it they go through the script. Bundled by itself, because a daemon
 * has no use for it.
 */
export async function compileOwnClient({ env, home, signal }: Pick<Io, "env" | "home" | "signal">): Promise<void> {
  await compileClient({ packageRoot: packageFile(), home: { env, home }, env, signal });
}
