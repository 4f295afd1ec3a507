import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { readPrivate, replaceFile, withLock } from "../files/internal.ts";
import { newToken } from "../loopback/internal.ts";
import { Problem, parseObject } from "../protocol/internal.ts";
import { appKey } from "../sdk/internal.ts";
import { stopDaemon } from "./control.ts";
import { daemonFolder, type Env, openDaemonFolder } from "./record-file.ts";

/** Where a hooks file is answered. It outlives the daemon, because settings entries name it. */
export interface Endpoint {
  readonly port: number;
  readonly token: string;
  readonly url: string;
}

/**
 * The endpoint of a hooks file, chosen at the first call and kept. `fresh`: another port and another token, for instance because another
 * program uses the port; a running daemon is stopped.
 */
export async function endpointFor(
  hooksFile: string,
  { env, fresh = false }: { readonly env: Env; readonly fresh?: boolean },
): Promise<Endpoint> {
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

/** Forgets port and token of a hooks file, and stops its daemon. Later calls get no answer. */
export async function dropEndpoint(hooksFile: string, { env }: { readonly env: Env }): Promise<void> {
  await stopDaemon(hooksFile, { env });
  await rm(daemonFolder(hooksFile, env), { recursive: true, force: true });
}

const name = "endpoint.json";

function withUrl(hooksFile: string, { port, token }: Omit<Endpoint, "url">): Endpoint {
  return { port, token, url: `http://127.0.0.1:${port}/v1/hook/${appKey(hooksFile)}` };
}

/** Undefined when a power cut has cut the file short: another endpoint is chosen. */
function read(bytes: Buffer | undefined): Omit<Endpoint, "url"> | undefined {
  const { port, token } = parseObject(bytes?.toString("utf8") ?? "") ?? {};
  if (typeof port !== "number" || !Number.isInteger(port) || port <= 0 || port >= 65_536) return undefined;
  return typeof token === "string" && /^[0-9a-f]{64}$/.test(token) ? { port, token } : undefined;
}

/** Below the ports that systems use for outgoing connections, so that none of those takes it while no daemon runs. */
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
