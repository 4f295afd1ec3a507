import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { isPublicAddress } from "../../../net/internal.ts";
import { builtinTools } from "../builtin-tools.ts";
import { toolWorld } from "../fixtures/world.ts";
import type { WebFetchOptions } from "./fetch-page.ts";
import { pageText, webFetchTool } from "./web-fetch-tool.ts";

/** A server on loopback, asked for by names that lead there. */
async function site(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const options: WebFetchOptions = {
    digest: async (text, prompt) => `${prompt}: ${text}`,
    permits: (address) => address === "127.0.0.1",
    resolve: async () => ["127.0.0.1"],
  };
  const { call } = toolWorld();
  const fetch = (url: string, over: Partial<WebFetchOptions> = {}) =>
    call(webFetchTool({ ...options, ...over }), { url: url.replace("PORT", String(port)), prompt: "p" });
  return { fetch, asked, port };
}

test("the small model gets the text of the page, and the answer has the published shape", async () => {
  const { fetch, port } = await site((_, response) =>
    response
      .setHeader("content-type", "text/html")
      .end("<title>T</title><p>Hello&amp;<script>evil()</script> <b>you</b></p>"),
  );
  expect(await fetch("http://site.test:PORT/a?b")).toEqual({
    isError: false,
    content: "p: T\n\nHello& you",
    response: {
      bytes: 67,
      code: 200,
      codeText: "OK",
      result: "p: T\n\nHello& you",
      durationMs: expect.any(Number),
      url: `http://site.test:${port}/a?b`,
    },
  });
});

test("WebFetch is not offered unless enabled", () => {
  const names = (webFetch?: WebFetchOptions) => builtinTools(webFetch).map(({ name }) => name);
  expect(names()).not.toContain("WebFetch");
  expect(names({ digest: async () => "" })).toContain("WebFetch");
});

test("addresses of this machine and its network are not fetched, in any spelling", async () => {
  const { fetch, asked } = await site((_, response) => response.end("secret"));
  const real = { permits: isPublicAddress };
  for (const host of [
    ...["127.0.0.1:PORT", "127.1:PORT", "2130706433:PORT", "0x7f000001:PORT", "0.0.0.0:PORT", "[::1]:PORT"],
    ...["[::ffff:127.0.0.1]:PORT", "[::ffff:7f00:1]:PORT", "169.254.169.254", "10.0.0.1", "192.168.1.1", "[fd00::1]"],
    ...["[64:ff9b::7f00:1]", "[2002:7f00:1::]"],
  ]) {
    const result = await fetch(`http://${host}/`, real);
    expect([host, result.isError, result.content]).toEqual([
      host,
      true,
      expect.stringContaining("not an address of the public internet"),
    ]);
  }
  expect(asked).toEqual([]);
});

test("a name is looked up once, and one private address among its answers is enough to refuse", async () => {
  const { fetch, asked } = await site((_, response) => response.end("x"));
  const answers = [["8.8.8.8", "127.0.0.1"]];
  const mixed = await fetch("http://rebind.test:PORT/", {
    permits: isPublicAddress,
    resolve: async () => answers.shift() ?? ["127.0.0.1"],
  });
  expect([mixed.isError, asked]).toEqual([true, []]);
  let looked = 0;
  await fetch("http://rebind.test:PORT/", {
    resolve: async () => {
      looked += 1;
      return ["127.0.0.1"];
    },
  });
  expect([looked, asked.length]).toEqual([1, 1]);
});

test("a redirect within the host is checked and followed; one to another host is reported instead", async () => {
  const { fetch, asked, port } = await site(({ url }, response) => {
    const to = url === "/a" ? "/b" : url === "/b" ? "http://other.test/c" : url === "/loop" ? "/loop" : undefined;
    if (to === undefined) response.end("here");
    else response.writeHead(302, { location: to }).end();
  });
  const redirected = await fetch("http://site.test:PORT/a");
  expect(redirected).toMatchObject({ isError: false, response: { code: 302, codeText: "Found", bytes: 0 } });
  expect(redirected.content).toContain("Redirect URL: http://other.test/c\n");
  expect(asked).toEqual([`site.test:${port} /a`, `site.test:${port} /b`]);
  expect((await fetch("http://site.test:PORT/loop")).content).toContain("redirects more than 10 times");
  let first = true;
  const rebound = await fetch("http://site.test:PORT/a", {
    resolve: async () => {
      const address = first ? "127.0.0.1" : "10.0.0.1";
      first = false;
      return [address];
    },
  });
  expect(rebound.content).toContain("10.0.0.1, which is not an address");
});

test("a redirect to an address that is not http is not followed", async () => {
  const { fetch } = await site((_, response) => response.writeHead(301, { location: "file:///etc/passwd" }).end());
  expect(await fetch("http://site.test:PORT/")).toMatchObject({
    isError: true,
    content: expect.stringContaining("only http"),
  });
});

test("only text pages over http are fetched, and at most 1 MiB of each", async () => {
  const { fetch } = await site(({ url }, response) => {
    if (url === "/image") return response.setHeader("content-type", "image/png").end("x");
    if (url === "/gzip") return response.setHeader("content-encoding", "gzip").end("x");
    response.setHeader("content-type", "text/plain");
    const more = () => {
      while (response.write("y".repeat(65_536)));
      response.once("drain", more);
    };
    return more();
  });
  for (const url of ["ftp://site.test/", "file:///etc/passwd", "http://user:pw@site.test/", "nonsense"]) {
    expect(await fetch(url)).toMatchObject({ isError: true, content: expect.stringContaining("Invalid URL") });
  }
  expect(await fetch("http://site.test:PORT/image")).toMatchObject({ isError: true });
  expect(await fetch("http://site.test:PORT/gzip")).toMatchObject({ isError: true });
  expect(await fetch("http://site.test:PORT/flood")).toMatchObject({ isError: false, response: { bytes: 2 ** 20 } });
});

test("an address is public only if it is in no special range", () => {
  for (const address of ["8.8.8.8", "1.1.1.1", "172.32.0.1", "2606:4700::1111"])
    expect(isPublicAddress(address)).toBe(true);
  for (const address of [
    "255.255.255.255",
    "100.64.0.1",
    "198.18.0.1",
    "::",
    "fe80::1",
    "ff02::1",
    "2001:db8::1",
    "",
    "x",
  ]) {
    expect([address, isPublicAddress(address)]).toEqual([address, false]);
  }
});

test("a page of tags that never close is read without delay", () => {
  expect(pageText("<script".repeat(100_000))).toBe("");
  expect(pageText("<p>".repeat(200_000)).trim()).toBe("");
  expect(pageText(`${"<svg>".repeat(100_000)}x`)).toBe("");
  expect(pageText("a<!-- <p> -->b &#x41;&#0;&#1114112;&bogus; < c")).toBe("ab A&#0;&#1114112;&bogus;");
});
