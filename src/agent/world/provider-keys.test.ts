import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { AgentEvent } from "../agent-event.ts";
import { makeWorld, type Ran, type World } from "../fixtures/agent-run.ts";

let world: World;
afterEach(() => world.remove());

const keys = {
  ANTHROPIC_API_KEY: "sk-1-leak",
  ANTHROPIC_AUTH_TOKEN: "sk-2-leak",
  CLAUDE_CODE_OAUTH_TOKEN: "sk-3-leak",
  OPENAI_API_KEY: "sk-4-leak",
};
const permissionMode = "bypassPermissions" as const;
const bash = (command: string) => ({ calls: [{ tool: "Bash", input: { command } }] });
const note =
  'ANTHROPIC_API_KEY is not passed to tools and hooks. If it is needed, add it to "passEnv" in your user settings.';

function noticesOf({ events }: Ran): readonly string[] {
  return events.flatMap((event: AgentEvent) => (event.kind === "notice" ? [event.text] : []));
}

function told({ requests }: Ran): string {
  return JSON.stringify(requests.at(-1)?.messages);
}

test("tools and hooks do not get the keys of model providers", async () => {
  world = makeWorld({ hooks: { PreToolUse: { run: "env > hook-env" } } });
  const env = { ...world.env, ...keys, MY_TOKEN: "mine" };
  const ran = await world.run([bash("cat hook-env; env"), { text: "ok" }], { prompt: "go", env, permissionMode });
  expect(told(ran)).toContain("MY_TOKEN=mine");
  expect(told(ran)).not.toMatch(/sk-\d-leak/);
  expect(noticesOf(ran)).toEqual([]);
});

test("passEnv of user settings passes a key on; that of a project is ignored and reported", async () => {
  world = makeWorld({ hooks: {}, settings: { passEnv: ["OPENAI_API_KEY"] } });
  mkdirSync(join(world.project, ".claude"), { recursive: true });
  writeFileSync(join(world.project, ".claude", "settings.json"), '{"passEnv":["ANTHROPIC_API_KEY"]}');
  const env = { ...world.env, ...keys };
  const ran = await world.run([bash("env"), { text: "ok" }], { prompt: "go", env, permissionMode });
  expect(told(ran)).toContain("OPENAI_API_KEY=sk-4-leak");
  expect(told(ran)).not.toContain("sk-1-leak");
  expect(noticesOf(ran).join()).toContain('"passEnv" is ignored, because a project may not choose');
});

test("passEnv in a file of managed-settings.d passes a key on", async () => {
  world = makeWorld({ hooks: {} });
  const managedFolder = join(world.home, "managed");
  mkdirSync(join(managedFolder, "managed-settings.d"), { recursive: true });
  writeFileSync(join(managedFolder, "managed-settings.d", "team.json"), '{"passEnv":["OPENAI_API_KEY"]}');
  const env = { ...world.env, ...keys };
  const ran = await world.run([bash("env"), { text: "ok" }], { prompt: "go", env, permissionMode, managedFolder });
  expect(told(ran)).toContain("OPENAI_API_KEY=sk-4-leak");
  expect(told(ran)).not.toContain("sk-1-leak");
});

test("passEnv counts in the home folder too, where the user's settings are the project's", async () => {
  world = makeWorld({ hooks: {}, settings: { passEnv: ["OPENAI_API_KEY"] } });
  const options = { prompt: "go", env: { ...world.env, ...keys }, permissionMode, cwd: world.home };
  const ran = await world.run([bash("env"), { text: "ok" }], options);
  expect(told(ran)).toContain("OPENAI_API_KEY=sk-4-leak");
  expect(noticesOf(ran)).toEqual([]);
});

test("a command that fails for lack of a key causes a notice for the user and the model", async () => {
  world = makeWorld({ hooks: {} });
  const env = { ...world.env, ANTHROPIC_API_KEY: "sk-1-leak" };
  const failing = bash('test -n "$ANTHROPIC_API_KEY" || { echo no key >&2; exit 1; }');
  const ran = await world.run([failing, failing, { text: "ok" }], { prompt: "go", env, permissionMode });
  expect(noticesOf(ran)).toEqual([note]);
  expect(told(ran)).toContain("is not passed to tools and hooks");
  const other = await world.run([bash("exit 1"), { text: "ok" }], { prompt: "go", env, permissionMode });
  expect(noticesOf(other)).toEqual([]);
});

test("a hook that fails for lack of a key is reported", async () => {
  world = makeWorld({ hooks: { UserPromptSubmit: { stderr: "Error: not logged in", exit: 1 } } });
  const env = { ...world.env, ANTHROPIC_API_KEY: "sk-1-leak" };
  const ran = await world.run([{ text: "ok" }], { prompt: "go", env });
  expect(noticesOf(ran)).toContain(note);
});
