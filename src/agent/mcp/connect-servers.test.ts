import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { ElicitationForm } from "../agent-ports.ts";
import { call, connected, srv } from "./fixtures/connected.ts";

test("a server's tools are listed as mcp__server__tool and answer in the recorded shape", async () => {
  const { servers } = await connected({ srv });
  expect(servers.states).toEqual([{ name: "srv", status: "connected" }]);
  expect(servers.tools[0]).toMatchObject({
    name: "mcp__srv__do_thing",
    description: "does do_thing",
    inputSchema: { type: "object", properties: { q: { type: "string" } } },
    readOnly: false,
  });
  expect(await call(servers, "mcp__srv__do_thing", { q: "z" })).toEqual({
    isError: false,
    response: [{ type: "text", text: 'did {"q":"z"}' }],
    content: [{ type: "text", text: 'did {"q":"z"}' }],
  });
  expect(await call(servers, "mcp__srv__boom", { q: "z" })).toEqual({
    isError: true,
    content: "boom!",
    interrupted: false,
  });
  expect((await call(servers, "mcp__srv__picture")).content).toEqual([
    { type: "image", source: { type: "base64", data: expect.stringMatching(/^R0lGOD/), media_type: "image/gif" } },
    { type: "text", text: "a dot" },
  ]);
  expect((await call(servers, "mcp__srv__structured")).content).toEqual([{ type: "text", text: '{"answer":42}' }]);
  expect((await call(servers, "mcp__srv__noise")).content).toEqual([{ type: "text", text: "after the noise" }]);
});

test("a form reaches the user and the answer the server; a page to open is declined", async () => {
  const forms: ElicitationForm[] = [];
  const { servers, told } = await connected(
    { srv },
    {
      elicit: async (form) => {
        forms.push(form);
        return { action: "accept", content: { name: "Ada" } };
      },
    },
  );
  expect((await call(servers, "mcp__srv__ask_user")).content).toEqual([
    { type: "text", text: '{"elicited":{"action":"accept","content":{"name":"Ada"}}}' },
  ]);
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  expect(forms).toEqual([{ server: "srv", message: "What is your name?", schema }]);
  expect((await call(servers, "mcp__srv__ask_url")).content).toEqual([{ type: "text", text: '{"action":"decline"}' }]);
  expect([forms.length, told]).toEqual([1, ["Declined the request of MCP server srv to open a page."]]);
});

test("a server that floods us with a line without end is ended, and the call with it", async () => {
  const { servers } = await connected({ srv });
  expect(await call(servers, "mcp__srv__flood")).toMatchObject({ isError: true, interrupted: false });
});

test("a redirect to another host does not carry the headers of a server's configuration there", async () => {
  const seen: unknown[] = [];
  const listen = async (answer: RequestListener): Promise<string> => {
    const server = createServer(answer).listen(0, "127.0.0.1");
    onTestFinished(async () => void server.close());
    await once(server, "listening");
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const elsewhere = await listen(({ headers }, response) => {
    seen.push(headers["x-key"]);
    response.writeHead(500).end();
  });
  const url = await listen((_, response) => response.writeHead(307, { location: `${elsewhere}/mcp` }).end());
  const { servers, told } = await connected({ web: { type: "http", url, headers: { "X-Key": "secret" } } });
  expect([seen, servers.states]).toEqual([[], [{ name: "web", status: "failed" }]]);
  expect(told[0]).toContain(`${url} redirects to ${elsewhere}. The redirect is not followed`);
});
