import { expect, test } from "vitest";
import { isInvalid } from "./rule.ts";
import { compileDomain, coversHost, hostOf } from "./spec-patterns.ts";

function covered(pattern: string, url: string): boolean | "invalid" {
  const compiled = compileDomain(pattern);
  if (isInvalid(compiled)) return "invalid";
  const host = hostOf(url);
  return host !== undefined && coversHost(compiled, host);
}

test("a pattern covers the whole host in any letter case, with any port, user part or final dot", () => {
  const same = [
    "https://a.io",
    "http://A.IO/x",
    "https://a.io:8443/",
    "https://u:p@a.io/",
    "https://a.io./",
    "https://a.io?q=b.io",
  ];
  expect(same.map((url) => covered("a.io", url))).toEqual(same.map(() => true));
  const others = [
    "https://a.io.evil.com",
    "https://xa.io",
    "https://b.a.io",
    "https://evil.com/a.io",
    "https://a.io@evil.com",
    "https://evil.com#a.io",
  ];
  expect(others.map((url) => covered("a.io", url))).toEqual(others.map(() => false));
});

test("a star at the beginning covers any number of labels, any other star stays in its label", () => {
  expect([
    covered("*.a.io", "https://x.a.io"),
    covered("*.a.io", "https://x.y.a.io"),
    covered("*.a.io", "https://a.io"),
    covered("*.a.io", "https://xa.io"),
  ]).toEqual([true, true, false, false]);
  expect([covered("*", "https://x.y"), covered("*", "http://127.0.0.1")]).toEqual([true, true]);
  expect([
    covered("api-*.a.io", "https://api-1.a.io"),
    covered("api-*.a.io", "https://api-1.b.a.io"),
    covered("a.*.io", "https://a.b.c.io"),
  ]).toEqual([true, false, false]);
});

test("hosts are compared in ASCII form, and an odd spelling of an address is that address", () => {
  expect(covered("bücher.example", "https://xn--bcher-kva.example")).toBe(true);
  expect(covered("xn--bcher-kva.example", "https://bücher.example/")).toBe(true);
  expect(covered("127.0.0.1", "http://0x7f.1/")).toBe(true);
  expect(covered("[::1]", "http://[::1]:80/")).toBe(true);
});

test("an address that programs read differently, or that is not http(s), has no host", () => {
  for (const url of [
    "",
    "a.io",
    "file:///a.io",
    "ftp://a.io",
    "https://a.io\\@evil.com",
    "https://a.io\t.evil.com",
    "https:// a.io",
    "javascript:x",
    5,
    null,
  ]) {
    expect(hostOf(url), String(url)).toBeUndefined();
  }
});

test("a pattern with a port, path or blank is not a host name", () => {
  for (const pattern of ["a.io:80", "a.io/x", "a b", "", "https://a.io", "a..io"])
    expect(covered(pattern, "https://a.io")).toBe("invalid");
});
