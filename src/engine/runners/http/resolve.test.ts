import { expect, test } from "vitest";
import { resolveHost, systemResolve } from "./destination.ts";

const family = (address: string) => (address.includes(":") ? 6 : 4);
const giving =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address) => ({ address, family: family(address) }));
const refused = (words: string) => ({
  refused: `${words}, which a hook of this source may not reach; see httpHookAllowPrivate`,
});

test("a literal address is judged without a lookup", async () => {
  const noLookup = () => Promise.reject(new Error("asked"));
  const loopback = { addresses: [{ address: "127.0.0.1", family: 4 }] };
  expect(await resolveHost("127.0.0.1", true, noLookup)).toEqual(loopback);
  expect(await resolveHost("127.0.0.1", false, noLookup)).toEqual(refused("127.0.0.1 is a loopback address"));
  expect(await resolveHost("[::ffff:7f00:1]", false, noLookup)).toEqual(
    refused("[::ffff:7f00:1] is a loopback address"),
  );
});

test("one private address among a name's addresses is enough to refuse", async () => {
  expect(await resolveHost("a.example", false, giving("8.8.8.8", "10.0.0.5"))).toEqual(
    refused("a.example leads to 10.0.0.5, a private address"),
  );
  expect(await resolveHost("a.example", false, giving("8.8.8.8", "2606:4700::1111"))).toEqual({
    addresses: [
      { address: "8.8.8.8", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ],
  });
});

test("a name that is not found or has no address is refused with a message", async () => {
  const missing = () => Promise.reject(new Error("getaddrinfo ENOTFOUND a.example"));
  expect(await resolveHost("a.example", true, missing)).toEqual({
    refused: "a.example was not found (getaddrinfo ENOTFOUND a.example)",
  });
  expect(await resolveHost("a.example", true, giving())).toEqual({ refused: "a.example has no address" });
});

test.each(["localhost", "127.0.0.1.", "0x7f.1."])(
  "the system's own names for this machine are refused: %s",
  async (host) => {
    expect(await resolveHost(new URL(`http://${host}/`).hostname, false, systemResolve)).toHaveProperty("refused");
  },
);
