import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openServerTrust, reviewTrust } from "../internal.ts";

const config = { command: "node", args: ["tools/server.mjs"] };

test("the approval of a server covers the files it names; one changed byte ends it", async () => {
  const { cwd, options, mcp } = checkout({ ours: config });
  const server = { file: mcp, name: "ours", config };
  const state = async (one: object = server) => (await openServerTrust(options))({ ...server, ...one }).state;
  expect(await state()).toBe("new");

  const review = await reviewTrust(options);
  expect(review.entries).toMatchObject([
    {
      id: ".mcp.json:ours",
      kind: "mcpServer",
      file: mcp,
      state: "new",
      definition: { server: "ours", config },
      files: [{ path: "tools/server.mjs" }],
    },
  ]);
  await review.pin(review.entries);
  expect([await state(), (await reviewTrust(options)).entries[0]?.state]).toEqual(["trusted", "trusted"]);

  expect(await state({ config: { ...config, env: { NODE_OPTIONS: "--import ./x.mjs" } } })).toBe("changed");
  expect(await state({ name: "other" })).toBe("new");
  writeFileSync(join(cwd, "tools/server.mjs"), "another program");
  expect([await state(), (await reviewTrust(options)).entries[0]?.state]).toEqual(["changed", "changed"]);
});

test.each([
  { command: "${RUNNER:-./tools/server.mjs}" },
  { command: "node", args: ["${SERVER:-tools/server.mjs}"] },
  { command: "node", args: ["${CLAUDE_PROJECT_DIR:-.}/tools/server.mjs"] },
  {
    command: "node",
    args: ["-e", "it's nothing"],
    env: { KEY: "${KEY}", NODE_OPTIONS: "--import ./tools/server.mjs" },
  },
])("the approval of the server %j ends when a file changes that a default or a variable names", async (config) => {
  const { cwd, options, mcp } = checkout({ ours: config });
  const state = async () => (await openServerTrust(options))({ file: mcp, name: "ours", config }).state;
  const review = await reviewTrust(options);
  await review.pin(review.entries);
  expect(await state()).toBe("trusted");
  writeFileSync(join(cwd, "tools/server.mjs"), "another program");
  expect(await state()).toBe("changed");
});

test("a variable of a server without a default, and one that changes what programs load, are listed as not covered", async () => {
  const env = { PYTHONPATH: "tools", TOKEN: "${TOKEN}" };
  const { options } = checkout({ ours: { command: "python3", args: ["${DIR}/server.py"], env } });
  const [entry] = (await reviewTrust(options)).entries;
  const named = entry?.notCovered.map((one) => JSON.stringify(one)).join("\n");
  expect(named).toContain("${DIR}");
  expect(named).toContain("PYTHONPATH");
  expect(named).not.toContain("TOKEN");
});

test("servers start in a folder that was accepted as a whole, and in a host that trusts everything", async () => {
  const { options, mcp } = checkout({ ours: config });
  const state = async (trust: "workspace" | "implicit") =>
    (await openServerTrust({ ...options, trust }))({ file: mcp, name: "ours", config }).state;
  expect([await state("workspace"), await state("implicit")]).toEqual(["new", "trusted"]);
  await (await reviewTrust(options)).accept();
  expect(await state("workspace")).toBe("trusted");
});

test("any value of the servers key is handled without an exception", async () => {
  for (const odd of [[], "x", null, 7, { a: null, b: [], c: { command: 3 } }]) {
    const { options } = checkout(odd);
    const { entries } = await reviewTrust(options);
    expect(entries.every(({ kind }) => kind === "mcpServer")).toBe(true);
  }
});

function checkout(mcpServers: unknown) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "server-trust-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const cwd = join(root, "project");
  mkdirSync(join(cwd, "tools"), { recursive: true });
  writeFileSync(join(cwd, "tools/server.mjs"), "a program");
  const mcp = join(cwd, ".mcp.json");
  writeFileSync(mcp, JSON.stringify({ mcpServers }));
  const env = { HOME: root, HOOKLINE_HOME: join(root, "state") };
  return { cwd, mcp, options: { cwd, home: root, env, managedFolder: join(root, "managed") } };
}
