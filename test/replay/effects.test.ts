import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReplayReport } from "../../src/replay/internal.ts";
import { type Machine, machine } from "./program.ts";

let world: Machine;
beforeAll(() => {
  world = machine();
});
afterAll(() => world.remove());

test("no function that reaches out of a process works in a replay on this version of Node", {
  timeout: 60_000,
}, async () => {
  const folder = join(world.home, "victims");
  mkdirSync(folder);
  writeFileSync(join(folder, "victim"), "as it was", { mode: 0o640 });
  let visits = 0;
  const socket = join(world.home, "s");
  const visited = () => {
    visits += 1;
  };
  const servers = [createServer(visited), createServer(visited)] as const;
  await new Promise<void>((ready) => servers[0].listen(0, "127.0.0.1", ready));
  await new Promise<void>((ready) => servers[1].listen(socket, ready));
  const { port } = servers[0].address() as { port: number };
  const look = () => {
    const { mode, uid, gid, size, mtimeMs } = statSync(join(folder, "victim"));
    return {
      names: readdirSync(folder),
      mode,
      uid,
      gid,
      size,
      mtimeMs,
      text: readFileSync(join(folder, "victim"), "utf8"),
    };
  };
  const before = look();
  const files = world.files();
  const hooks = world.file("tries.mjs", readFileSync(join(import.meta.dirname, "tries.mjs"), "utf8"));
  const silent = world.file("silent.mjs", `import { createApp } from "hookline/sdk";\nexport default createApp();\n`);
  const env = { TRY_IN: folder, TRY_PORT: String(port), TRY_SOCKET: socket };
  const words = ["replay", hooks, "--project", "/home/dev/a-plain", "--event", "UserPromptSubmit", "--json"];
  const { stdout, stderr, code } = await world.hookline([...words, "--against", silent], env);
  expect([code, stderr]).toEqual([0, ""]);
  const { against, handlers, failures } = JSON.parse(stdout) as ReplayReport;
  expect(JSON.parse(against?.list[0]?.now.contexts?.[0] ?? "{}")).toEqual({ tried: 84, worked: [] });
  expect(handlers.map(({ outcomes }) => outcomes)).toEqual([{ "effect-refused": 1 }]);
  expect(failures).toEqual([]);
  expect(look()).toEqual(before);
  expect(world.files().filter((name) => !files.includes(name) && !/^state($|\/builds)/.test(name))).toEqual([
    "an author's project/silent.mjs",
    "an author's project/tries.mjs",
  ]);
  expect(visits).toBe(0);
  for (const server of servers) await new Promise((closed) => server.close(closed));
});
