import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { linkRecord, openDaemonFolder, recordPath, writeDaemon } from "../../src/daemon/record-file.ts";
import { type DaemonRecord, processStart } from "../../src/files/internal.ts";
import type { DaemonWorld } from "./world.ts";

const token = "1".repeat(64);
const secret = "2".repeat(64);

/** A record of this very process, so that clients believe it, for a daemon that the test plays. */
export async function writeFakeRecord(
  world: DaemonWorld,
  file: string,
  version: string,
  rest: Pick<DaemonRecord, "port" | "node"> & Partial<DaemonRecord>,
): Promise<void> {
  const own = { pid: process.pid, start: processStart(process.pid) ?? "", token, secret, version };
  await openDaemonFolder(file, world.env);
  await writeDaemon({ ...own, sourceHash: "", since: 1, socket: "", hooksFile: file, ...rest }, world.env);
  await linkRecord(file, world.env);
  written.add(recordPath(file, world.env));
}

const written = new Set<string>();

/** Ending the daemons of a world would end this process. */
export function removeFakeRecords(): void {
  for (const path of written) rmSync(path, { force: true });
}

/** An answer as the daemon gives it. */
export function wholeAnswer(version: string, code = "000", body = "{}"): string {
  const out = String(body.length).padStart(8, "0");
  const head = `HTTP/1.1 200 OK\r\nHookline: ${secret} ${code} ${out} 00000000 ${"0".repeat(64)} ${version}\r\n`;
  return `${head}Content-Length: ${String(body.length).padStart(10, "0")}\r\nConnection: close\r\n\r\n${body}`;
}

/** A server on a port of its own; peers that disconnect silently are not an error. */
export async function listening(onPeer: (peer: Socket) => void): Promise<{ server: Server; port: number }> {
  const server = createServer((peer) => {
    peer.on("error", () => undefined);
    onPeer(peer);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return { server, port: (server.address() as { port: number }).port };
}

/** A program in the place of Node, so that a call that is run in process costs nothing. `script` is for sh. */
export function standInNode(world: DaemonWorld, script: string): string {
  const path = join(mkdtempSync(join(world.folder, "node-")), "node");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}
