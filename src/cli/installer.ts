import { fileURLToPath } from "node:url";
import { daemonStatus, dropEndpoint, endpointFor, stopDaemon } from "../daemon/index.ts";
import type { DaemonDoor, Installer } from "../install/index.ts";
import type { Io } from "./command.ts";
import { version } from "./version.ts";

/** The package this program belongs to; the same from the sources as from what is built of them. */
const packageRoot = fileURLToPath(new URL("../../", import.meta.url)).replace(/[\\/]$/, "");

/** What installing is lent by the command line: this package, this Node, the daemon. */
export function installerFor(io: Io): Installer & { readonly daemon: DaemonDoor } {
  const { env, home, signal } = io;
  return {
    packageRoot,
    version: version(),
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
