import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { readPrivate, replaceFile, withLock } from "../files/internal.ts";
import { newToken } from "../loopback/internal.ts";
import { Problem } from "../protocol/internal.ts";
import { appKey } from "../sdk/internal.ts";
import { stopDaemon } from "./control.ts";
import { daemonFolder, type Env, openDaemonFolder } from "./record-file.ts";

/** Where a hooks file is answered. It outlives the daemon, because settings entries name it. */
export interface Endpoint {
  readonly port: number;
  readonly token: string;
  readonly url: string;
}

export interface EndpointOptions {
  /** Another port and another token, for instance because a stranger has the port; a running daemon is stopped. */
  readonly fresh?: boolean;
  readonly env?: Env;
}

/** The endpoint of a hooks file, chosen at the first call and kept. */
export async function endpointFor(hooksFile: string, options: EndpointOptions = {}): Promise<Endpoint> {
  const { fresh = false, env = process.env } = options;
  const path = join(await openDaemonFolder(hooksFile, env), name);
  return withLock(path, async () => {
    const known = fresh ? undefined : read(await readPrivate(path));
    if (known !== undefined) return withUrl(hooksFile, known);
    if (fresh) await stopDaemon(hooksFile, { env });
    const made = { port: await freePort(), token: newToken() };
    await replaceFile(path, `${JSON.stringify(made)}\n`);
    return withUrl(hooksFile, made);
  });
}

/** Forgets port and token of a hooks file, and stops its daemon: what still asks there is not answered any more. */
export async function dropEndpoint(hooksFile: string, { env = process.env }: { env?: Env } = {}): Promise<void> {
  await stopDaemon(hooksFile, { env });
  await rm(daemonFolder(hooksFile, env), { recursive: true, force: true });
}

const name = "endpoint.json";

function withUrl(hooksFile: string, { port, token }: Omit<Endpoint, "url">): Endpoint {
  return { port, token, url: `http://127.0.0.1:${port}/v1/hook/${appKey(hooksFile)}` };
}

function read(bytes: Buffer | undefined): Omit<Endpoint, "url"> | undefined {
  if (bytes === undefined) return undefined;
  try {
    const { port, token } = JSON.parse(bytes.toString("utf8")) as { port?: unknown; token?: unknown };
    if (typeof port !== "number" || typeof token !== "string" || !/^[0-9a-f]{64}$/.test(token)) return undefined;
    return Number.isInteger(port) && port > 0 && port < 65_536 ? { port, token } : undefined;
  } catch {
    return undefined; // cut short by a power cut: another one is chosen
  }
}

/** Below the ports that systems lend to outgoing connections, so that none of those takes it while the daemon is away. */
async function freePort(): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
  throw new Problem("loopback/port-taken", "No free port of 127.0.0.1 was found between 20000 and 32000.");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
