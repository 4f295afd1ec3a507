import { expect, test } from "vitest";
import { fitsWildcard } from "../../../protocol/internal.ts";
import { matchesUrl } from "./destination.ts";

const claims: readonly (readonly [pattern: string, url: string, matches: boolean])[] = [
  ["https://hooks.example.com/*", "https://hooks.example.com/a/b?c=d", true],
  ["https://hooks.example.com/*", "https://HOOKS.example.com./a", true],
  ["https://hooks.example.com/*", "https://hooks.example.com:443/a", true],
  ["https://hooks.example.com/*", "http://hooks.example.com/a", false],
  ["https://hooks.example.com/*", "https://hooks.example.com:8443/a", false],
  ["https://hooks.example.com/*", "https://hooks.example.com.evil.com/a", false],
  ["https://hooks.example.com/*", "https://evil-hooks.example.com/a", false],
  ["https://hooks.example.com/*", "https://evil.com/https://hooks.example.com/a", false],
  ["https://hooks.example.com/*", "https://evil.com/?https://hooks.example.com/", false],
  ["https://hooks.example.com/*", "https://evil.com#https://hooks.example.com/", false],
  ["https://hooks.example.com/api/*", "https://hooks.example.com/api/../admin", false],
  ["https://hooks.example.com/api/*", "https://hooks.example.com/api/%2e%2e/admin", false],
  ["https://hooks.example.com/hook", "https://hooks.example.com/hook", true],
  ["https://hooks.example.com/hook", "https://hooks.example.com/hook?x=1", false],
  ["https://hooks.example.com/hook", "https://hooks.example.com/HOOK", false],
  ["https://hooks.example.com/hook?x=*", "https://hooks.example.com/hook?x=1", true],
  ["https://hooks.example.com", "https://hooks.example.com/", true],
  ["https://hooks.example.com", "https://hooks.example.com/a", false],
  ["https://*.example.com/*", "https://a.b.example.com/", true],
  ["https://*.example.com/*", "https://example.com/", false],
  ["https://*.example.com/*", "https://evilexample.com/", false],
  ["https://hook-*.example.com/*", "https://hook-1.example.com/", true],
  ["https://hook-*.example.com/*", "https://hook-1.evil.example.com/", false],
  ["https://example.*/*", "https://example.com/", true],
  ["https://example.*/*", "https://example.com.evil.io/", false],
  ["https://*.bücher.de/*", "https://a.xn--bcher-kva.de/", true],
  ["http://localhost:8080/*", "http://localhost:8080/x", true],
  ["http://localhost:8080/*", "http://localhost/x", false],
  ["http://localhost:*/*", "http://localhost:9/x", true],
  ["http://localhost:80/*", "http://localhost/x", true],
  ["*://localhost/*", "https://localhost/x", true],
  ["http://127.0.0.1/*", "http://0x7f.1/x", true],
  ["http://2130706433/*", "http://127.0.0.1/x", true],
  ["http://[::1]:80/*", "http://[0:0:0:0:0:0:0:1]/x", true],
  ["http://*/*", "https://anything.example/", false],
  ["*", "https://anything.example:444/x", true],
  ["", "https://a.example/", false],
  ["a.example/*", "https://a.example/", false],
  ["https://user@a.example/*", "https://a.example/", false],
  ["https://a.example /*", "https://a.example/", false],
];

test.each(claims)("the pattern %s matches %s: %s", (pattern, url, matches) => {
  expect(matchesUrl(pattern, new URL(url))).toBe(matches);
});

test("a star matches any run, and many stars cost no more than the two lengths together", () => {
  expect(fitsWildcard("a*b*c", "a-b-b-c")).toBe(true);
  expect(fitsWildcard("a*b", "a-b-")).toBe(false);
  expect(fitsWildcard("**", "")).toBe(true);
  expect(fitsWildcard("", "a")).toBe(false);
  expect(fitsWildcard(`${"a*".repeat(200)}b`, "a".repeat(10_000))).toBe(false);
});
