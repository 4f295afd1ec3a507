import dgram from "node:dgram";
import dns from "node:dns";
import type { EventEmitter } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { EffectDenied, type EffectLog } from "./effect-log.ts";

/**
 * Refuses the network, which the permission model of Node 20 does not cover. http, https, http2 and tls use `Socket.connect` and
 * `Server.listen`. A refusal looks like a network failure: an error event, a callback or a rejection.
 */
export function refuseNetwork(log: EffectLog): void {
  const refuse = (what: string, target: unknown): EffectDenied => {
    log.note("network", target);
    return new EffectDenied(what);
  };
  replace(net.Socket.prototype, ["connect"], (socket: net.Socket, args) => {
    const error = refuse("A connection", addressOf(args));
    process.nextTick(() => socket.destroy(error));
    return socket;
  });
  replace(net.Server.prototype, ["listen", "_listen2"], (server: net.Server, args) =>
    failLater(server, refuse("Listening", `listen ${addressOf(args)}`)),
  );
  // The internal functions behind servers and datagrams are reachable as well.
  for (const [module, name] of [
    [net, "_createServerHandle"],
    [dgram, "_createSocketHandle"],
  ] as const) {
    replace(module, [name], () => {
      throw refuse("A socket", name);
    });
  }
  replace(dgram.Socket.prototype, ["bind", "connect", "send"], (socket: dgram.Socket, args) =>
    callBack(args, refuse("A datagram", "a datagram"), (error) => failLater(socket, error)),
  );
  replace(dgram.Socket.prototype, ["addMembership", "addSourceSpecificMembership"], (_self: unknown, args) => {
    throw refuse("Joining a group", args[0]);
  });
  for (const lookups of [dns, dns.Resolver.prototype]) {
    replace(lookups, lookupNames(lookups), (_self: unknown, args) =>
      callBack(args, refuse("A name lookup", args[0]), (error) => {
        throw error;
      }),
    );
  }
  for (const lookups of [dns.promises, dns.promises.Resolver.prototype]) {
    replace(lookups, lookupNames(lookups), (_self: unknown, args) => Promise.reject(refuse("A name lookup", args[0])));
  }
  // http2 treats a socket that does not connect as connected.
  replace(http2, ["connect"], (_self: unknown, args) => {
    throw refuse("A connection", args[0]);
  });
  replace(globalThis, ["fetch"], (_self: unknown, args) => Promise.reject(refuse("fetch", urlOf(args[0]))));
  for (const name of ["WebSocket", "EventSource"]) {
    if (!(name in globalThis)) continue;
    const refused = (url: unknown): never => {
      throw refuse(name, url);
    };
    Object.defineProperty(globalThis, name, { value: refused, configurable: true });
  }
}

function replace<Self>(
  target: object,
  names: readonly string[],
  instead: (self: Self, args: unknown[]) => unknown,
): void {
  for (const name of names) {
    const value = function (this: Self, ...args: unknown[]): unknown {
      return instead(this, args);
    };
    Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true });
  }
}

function failLater<Self extends EventEmitter>(self: Self, error: Error): Self {
  process.nextTick(() => self.emit("error", error));
  return self;
}

function callBack(args: readonly unknown[], error: Error, otherwise: (error: Error) => unknown): unknown {
  const callback = args.at(-1);
  if (typeof callback !== "function") return otherwise(error);
  process.nextTick(() => callback(error));
  return undefined;
}

function lookupNames(of: object): readonly string[] {
  return Object.getOwnPropertyNames(of).filter((name) => /^(?:lookup|resolve|reverse)/.test(name));
}

function addressOf([first, second]: readonly unknown[]): string {
  // Sockets pass on their arguments as one list.
  if (Array.isArray(first)) return addressOf(first);
  if (typeof first !== "object" || first === null) return [second, first].filter(isPlain).join(":");
  const { host, port, path } = first as { host?: unknown; port?: unknown; path?: unknown };
  return isPlain(path) ? String(path) : [host, port].filter(isPlain).join(":");
}

function isPlain(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || typeof value === "number";
}

function urlOf(input: unknown): unknown {
  return typeof input === "object" && input !== null && "url" in input ? input.url : input;
}
