import { expect, test } from "vitest";
import { resolveHost } from "../engine/runners/http/destination.ts";
import { isPublicAddress, specialAddress } from "./special-address.ts";

test.each([
  ["127.0.0.1", "loopback"],
  ["127.255.255.254", "loopback"],
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["10.0.0.1", "private"],
  ["172.16.0.1", "private"],
  ["172.31.255.255", "private"],
  ["192.168.1.1", "private"],
  ["198.19.0.1", "private"],
  ["100.64.0.1", "carrier-grade NAT"],
  ["100.127.255.255", "carrier-grade NAT"],
  ["169.254.169.254", "link-local or metadata"],
  ["192.0.0.192", "private or metadata"],
  ["168.63.129.16", "metadata"],
  ["100.100.100.200", "metadata"],
  ["192.0.2.1", "documentation"],
  ["198.51.100.7", "documentation"],
  ["203.0.113.9", "documentation"],
  ["192.88.99.1", "tunnel"],
  ["2001:db8::1", "documentation"],
  ["3fff::1", "documentation"],
  ["5f00::1", "reserved"],
  ["fe00::1", "reserved"],
  ["2001:2::1", "reserved"],
  ["224.0.0.251", "multicast"],
  ["255.255.255.255", "reserved or broadcast"],
  ["::", "unspecified"],
  ["::1", "loopback"],
  ["0:0:0:0:0:0:0:1", "loopback"],
  ["[::1]", "loopback"],
  ["::127.0.0.1", "reserved"],
  ["::ffff:127.0.0.1", "loopback"],
  ["::ffff:7f00:1", "loopback"],
  ["0:0:0:0:0:ffff:a00:1", "private"],
  ["::ffff:0:169.254.169.254", "link-local or metadata"],
  ["64:ff9b::7f00:1", "loopback"],
  ["64:ff9b::10.1.2.3", "private"],
  ["64:ff9b:1::1", "private"],
  ["2002:7f00:1::", "loopback"],
  ["2002:c0a8:101::1", "private"],
  ["2001::1", "tunnel"],
  ["100::1", "reserved"],
  ["fc00::1", "unique-local"],
  ["fd00:ec2::254", "unique-local"],
  ["fe80::1", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["febf::1", "link-local"],
  ["fec0::1", "private"],
  ["ff02::1", "multicast"],
])("%s is %s", (address, word) => {
  expect(specialAddress(address)).toBe(word);
});

test.each([
  "1.1.1.1",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2606:4700::1111",
  "::ffff:8.8.8.8",
  "64:ff9b::8.8.8.8",
  "2002:808:808::1",
])("%s is on the public internet", (address) => {
  expect(specialAddress(address)).toBeNull();
});

test.each(["", "localhost", "127.1", "0x7f.1", "1.2.3.4.5", "::g", "12345::"])(
  "%j is not an address and therefore special",
  (text) => {
    expect(specialAddress(text)).toBe("unreadable");
  },
);

test.each([
  ...["168.63.129.16", "192.0.2.1", "198.51.100.7", "203.0.113.9", "192.88.99.1", "2001:db8::1", "3fff::1", "5f00::1"],
  ...["127.0.0.1", "10.0.0.1", "169.254.169.254", "fd00:ec2::254", "fe80::1", "::1", "64:ff9b::a9fe:a9fe"],
  ...["8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"],
])("http hooks and WebFetch judge %s the same", async (address) => {
  const resolved = await resolveHost(address, false, () => Promise.reject(new Error("not asked")));
  expect("addresses" in resolved).toBe(isPublicAddress(address));
});
