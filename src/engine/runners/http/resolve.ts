import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { specialAddress } from "../../../net/internal.ts";
import { messageOf } from "../../../protocol/index.ts";

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Contract: resolves with every address of a name, or rejects. */
export type Resolve = (host: string) => Promise<readonly Address[]>;

export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

export type Resolved = { readonly addresses: readonly Address[] } | { readonly refused: string };

/**
 * The addresses that a connection may use. Contract: asks once, and if one address may not be reached, none may: a name with a
 * public and a private address would otherwise be private by luck.
 */
export async function resolveHost(host: string, allowPrivate: boolean, resolve: Resolve): Promise<Resolved> {
  const literal = host.replace(/^\[|\]$/g, "");
  const family = isIP(literal);
  let addresses: readonly Address[];
  try {
    addresses = family === 0 ? await resolve(host) : [{ address: literal, family }];
  } catch (error) {
    return { refused: `${host} was not found (${messageOf(error)})` };
  }
  if (addresses.length === 0) return { refused: `${host} has no address` };
  if (allowPrivate) return { addresses };
  for (const { address } of addresses) {
    const special = specialAddress(address);
    if (special === null) continue;
    const which =
      family === 0 ? `${host} leads to ${address}, a ${special} address` : `${host} is a ${special} address`;
    return { refused: `${which}, which a hook of this source may not reach; see httpHookAllowPrivate` };
  }
  return { addresses };
}
