import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import os from "node:os";
import traceEvents from "node:trace_events";
import v8 from "node:v8";

/**
 * Flags for a Node that reads what it likes, and writes nothing and starts nothing. The network is closed from inside, since the
 * permission model of Node 20 has no word for it.
 */
export function permissionFlags(): readonly string[] {
  // It was called experimental until Node 22.13.
  const isStable = process.allowedNodeEnvironmentFlags.has("--permission");
  return [
    isStable ? "--permission" : "--experimental-permission",
    "--allow-fs-read=*",
    "--disable-warning=ExperimentalWarning",
    "--disable-warning=SecurityWarning",
  ];
}

/** The environment without what could lift those limits, or have Node itself write files. */
export function sandboxEnv(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("NODE_")));
}

export const effectRefused = "is not allowed while the file is inspected";

/**
 * In the process itself, before any foreign code: no connection, no datagram, no name lookup, no signal to others, and nothing by
 * which V8 writes a file past the permission model.
 */
export function refuseEffects(): void {
  const close = (target: object, names: readonly string[], what = "The network"): void => {
    const value = (): never => {
      throw new Error(`${what} ${effectRefused}`);
    };
    for (const name of names.filter((one) => one in target))
      Object.defineProperty(target, name, { value, configurable: true, writable: true });
  };
  close(net.Socket.prototype, ["connect"]);
  close(net.Server.prototype, ["listen"]);
  close(net, ["_createServerHandle"]);
  close(dgram, ["_createSocketHandle"]);
  close(dgram.Socket.prototype, ["bind", "connect", "send"]);
  close(process, ["kill", "_kill", "_debugProcess"], "A signal");
  close(process, ["execve"], "Another program");
  close(os, ["setPriority"], "Another priority");
  close(v8, ["setFlagsFromString", "setHeapSnapshotNearHeapLimit"], "A flag of V8");
  close(traceEvents, ["createTracing"], "Tracing");
  close(process.getBuiltinModule("node:sqlite") ?? {}, ["DatabaseSync"], "A database");
  for (const lookups of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    const names = Object.getOwnPropertyNames(lookups).filter((name) => /^(?:lookup|resolve|reverse)/.test(name));
    close(lookups, names);
  }
  close(globalThis, ["fetch", "WebSocket", "EventSource"]);
  syncBuiltinESMExports();
}
