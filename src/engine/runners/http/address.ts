import { isIPv4, isIPv6 } from "node:net";

/**
 * What is special about an address, in a word, or null for one on the public internet. A text that is no address is special too:
 * what cannot be judged is not connected to.
 */
export function specialAddress(address: string): string | null {
  const bare = address.replace(/^\[|\]$/g, "").replace(/%.*$/, "");
  if (isIPv4(bare)) return specialIPv4(bitsOfIPv4(bare));
  if (isIPv6(bare)) return specialIPv6(bitsOfIPv6(bare));
  return "unreadable";
}

type Block = readonly [network: string, prefix: number, word: string];

const blocks4: readonly Block[] = [
  ["0.0.0.0", 8, "unspecified"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "carrier-grade NAT"],
  ["127.0.0.0", 8, "loopback"],
  ["168.63.129.16", 32, "metadata"],
  ["169.254.0.0", 16, "link-local or metadata"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "private or metadata"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "private"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved or broadcast"],
];

const blocks6: readonly Block[] = [
  ["::", 128, "unspecified"],
  ["::1", 128, "loopback"],
  ["::", 96, "reserved"],
  ["64:ff9b:1::", 48, "private"],
  ["100::", 64, "reserved"],
  ["2001::", 32, "tunnel"],
  ["fc00::", 7, "unique-local"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "private"],
  ["ff00::", 8, "multicast"],
];

/** IPv6 networks that stand for an IPv4 address, and how far from the right its 32 bits lie. */
const carriers: readonly (readonly [network: string, prefix: number, shift: bigint])[] = [
  ["::ffff:0:0", 96, 0n],
  ["::ffff:0:0:0", 96, 0n],
  ["64:ff9b::", 96, 0n],
  ["2002::", 16, 80n],
];

function specialIPv4(bits: bigint): string | null {
  const block = blocks4.find(([network, prefix]) => inBlock(bits, bitsOfIPv4(network), prefix, 32));
  return block?.[2] ?? null;
}

function specialIPv6(bits: bigint): string | null {
  const carrier = carriers.find(([network, prefix]) => inBlock(bits, bitsOfIPv6(network), prefix, 128));
  if (carrier !== undefined) return specialIPv4((bits >> carrier[2]) & 0xffff_ffffn);
  const block = blocks6.find(([network, prefix]) => inBlock(bits, bitsOfIPv6(network), prefix, 128));
  return block?.[2] ?? null;
}

function inBlock(bits: bigint, network: bigint, prefix: number, width: number): boolean {
  const shift = BigInt(width - prefix);
  return bits >> shift === network >> shift;
}

function bitsOfIPv4(text: string): bigint {
  return text.split(".").reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function bitsOfIPv6(text: string): bigint {
  const dotted = text.lastIndexOf(":") + 1;
  const plain = text.includes(".") ? text.slice(0, dotted) + groupsOfIPv4(text.slice(dotted)) : text;
  const [left = "", right] = plain.split("::");
  const head = left === "" ? [] : left.split(":");
  const tail = right === undefined || right === "" ? [] : right.split(":");
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => "0");
  return [...head, ...gap, ...tail].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function groupsOfIPv4(text: string): string {
  const bits = bitsOfIPv4(text);
  return `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
}
