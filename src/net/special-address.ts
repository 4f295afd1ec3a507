import { BlockList, isIPv4, isIPv6 } from "node:net";

/**
 * What is special about an address, in a word, or null for one on the public internet. The one table for http hooks and WebFetch.
 *
 * Contract: a text that is not an address counts as special too; an unknown address is never connected to.
 */
export function specialAddress(address: string): string | null {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  const family = isIPv4(bare) ? "ipv4" : isIPv6(bare) ? "ipv6" : undefined;
  if (family === undefined) return "unreadable";
  const row = table.find(({ list }) => list.check(bare, family));
  if (row !== undefined) return row.word;
  return family === "ipv4" || handedOut.check(bare, family) ? null : "reserved";
}

/** Whether an address is on the public internet: not this machine, its network, or a range with a purpose of its own. */
export function isPublicAddress(address: string): boolean {
  return specialAddress(address) === null;
}

type Row = readonly [network: string, prefix: number, word: string];

/** The first that holds an address names it. Addresses at which clouds hand out credentials are metadata. */
const rows4: readonly Row[] = [
  ["168.63.129.16", 32, "metadata"],
  ["100.100.100.200", 32, "metadata"],
  ["0.0.0.0", 8, "unspecified"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "carrier-grade NAT"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link-local or metadata"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "private or metadata"],
  ["192.0.2.0", 24, "documentation"],
  ["192.88.99.0", 24, "tunnel"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "private"],
  ["198.51.100.0", 24, "documentation"],
  ["203.0.113.0", 24, "documentation"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved or broadcast"],
];

const rows6: readonly Row[] = [
  ["::", 128, "unspecified"],
  ["::1", 128, "loopback"],
  ["64:ff9b:1::", 48, "private"],
  ["2001::", 32, "tunnel"],
  ["2001::", 23, "reserved"],
  ["2001:db8::", 32, "documentation"],
  ["3fff::", 20, "documentation"],
  ["fc00::", 7, "unique-local"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "private"],
  ["ff00::", 8, "multicast"],
];

/** IPv6 networks whose last 32 bits are an IPv4 address: mapped, translated and NAT64. */
const carriers = ["::ffff:", "::ffff:0:", "64:ff9b::"];

/** Of IPv6 only what is handed out to hosts, and what represents an IPv4 address. */
const handedOut = new BlockList();
handedOut.addSubnet("2000::", 3, "ipv6");
for (const carrier of carriers) handedOut.addSubnet(`${carrier}0.0.0.0`, 96, "ipv6");

const table: readonly { readonly list: BlockList; readonly word: string }[] = [...rows4, ...rows6].map(
  ([network, prefix, word]) => {
    const list = new BlockList();
    if (isIPv6(network)) {
      list.addSubnet(network, prefix, "ipv6");
      return { list, word };
    }
    list.addSubnet(network, prefix, "ipv4");
    for (const carrier of carriers) list.addSubnet(`${carrier}${network}`, 96 + prefix, "ipv6");
    list.addSubnet(sixToFour(network), 16 + prefix, "ipv6");
    return { list, word };
  },
);

/** 6to4 keeps the IPv4 address behind its first 16 bits. */
function sixToFour(network: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = network.split(".").map(Number);
  return `2002:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}::`;
}
