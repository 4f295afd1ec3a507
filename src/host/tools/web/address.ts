import { BlockList, isIPv4, isIPv6 } from "node:net";

/** Whether an address is one of the public internet: not this machine, its network, or a range with a purpose of its own. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, "ipv4");
  // Of the other family only what is handed out to hosts, and of that nothing that carries an address of the first one inside.
  return isIPv6(address) && global.check(address, "ipv6") && !special.check(address, "ipv6");
}

const global = new BlockList();
global.addSubnet("2000::", 3, "ipv6");

const special = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const) {
  special.addSubnet(net, bits, "ipv4");
}
for (const [net, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  special.addSubnet(net, bits, "ipv6");
}
