import { daemonStatus, dropEndpoint, endpointFor, stopDaemon } from "../daemon/index.ts";
import { packageFile, packageVersion } from "../files/internal.ts";
import type { DaemonDoor, Installer } from "../install/index.ts";
import type { Io } from "./command-line/command.ts";

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
