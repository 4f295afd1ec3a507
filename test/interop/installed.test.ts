import { execFile } from "node:child_process";
import { existsSync, symlinkSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { dist } from "../../src/files/fixtures/programs.ts";
import { makeWorld, runClient, type World } from "./index.ts";

const client = inject("client");

/** Refuses one call, rewrites another, tells the model a word, and does not let the first stop pass. */
const app = `import { allow, block, context, createApp, deny, updateInput } from "hookline/sdk";
const app = createApp();
app.preTool("Bash", ({ input }) => {
  if (input.command.includes("denied")) return deny("the app says no");
  if (input.command.includes("first")) return [allow("as rewritten"), updateInput({ ...input, command: "touch rewritten.txt" })];
});
app.onPrompt(() => context("the word is heliotrope"));
app.onStop(({ stopHookActive }) => (stopHookActive ? undefined : block("not yet: the app wants more")));
export default app;
`;

const ways = [
  { name: "run, from the project's settings", words: ["--transport", "run"], daemon: false },
  { name: "the client, from the project's settings", words: ["--transport", "client"], daemon: false },
  {
    name: "http, from the user's settings",
    words: ["--scope", "user", "--transport", "http", "--allow-http-decisions", "--literal-token"],
    daemon: true,
  },
];

describe.skipIf(client === "")("Claude Code runs an installed app", () => {
  test.for(ways)("over $name it refuses, rewrites, adds context and blocks a stop", async ({ words, daemon }) => {
    const world = await makeWorld({ ".claude/hooks.ts": app, "package.json": "{}" });
    const hookline = hooklineIn(world);
    try {
      await mkdir(join(world.project, "node_modules"));
      symlinkSync(dirname(dist), join(world.project, "node_modules/hookline"));
      expect((await hookline("install", ...words)).code).toBe(0);
      if (daemon) await startDaemon(world, hookline);
      const bash = (command: string) => ({ tool: "Bash", input: { command } });
      const run = await runClient({
        client,
        world,
        prompt: "Go.",
        args: ["--allowedTools", "Bash"],
        env: environmentOf(world),
        script: { main: [bash("touch denied.txt"), bash("touch first.txt"), "Done.", "Done at last."] },
      });
      const made = ["denied.txt", "first.txt", "rewritten.txt"].map((name) => existsSync(join(world.project, name)));
      expect(made).toEqual([false, false, true]);
      const sent = JSON.stringify(run.requests.filter(({ purpose }) => purpose === "main").at(-1)?.body.messages);
      for (const text of ["the app says no", "the word is heliotrope", "not yet: the app wants more"])
        expect(sent).toContain(text);
      expect(run.results.at(-1)).toMatchObject({ result: "Done at last." });
      expect((await hookline("status")).code).toBe(0);
    } finally {
      expect((await hookline("uninstall")).code).toBe(0);
      await world.remove();
    }
  });
});

describe.skipIf(client === "")("Claude Code and a Node that crashes", () => {
  test("a guard that is called over run refuses when Node is killed", async () => {
    const dies = `import { execSync } from "node:child_process";
import { createApp } from "hookline/sdk";
export default createApp().preTool("Bash", { onFailure: "block" }, ({ input: { command } }) => {
  if (command.includes("denied")) execSync("kill -KILL " + process.pid);
});
`;
    const world = await makeWorld({ ".claude/hooks.ts": dies, "package.json": "{}" });
    const hookline = hooklineIn(world);
    try {
      await mkdir(join(world.project, "node_modules"));
      symlinkSync(dirname(dist), join(world.project, "node_modules/hookline"));
      expect((await hookline("install", "--transport", "run")).code).toBe(0);
      const bash = (command: string) => ({ tool: "Bash", input: { command } });
      const run = await runClient({
        client,
        world,
        prompt: "Go.",
        args: ["--allowedTools", "Bash"],
        env: environmentOf(world),
        script: { main: [bash("touch denied.txt"), bash("touch passed.txt"), "Done."] },
      });
      expect(["denied.txt", "passed.txt"].map((name) => existsSync(join(world.project, name)))).toEqual([false, true]);
      const sent = JSON.stringify(run.requests.filter(({ purpose }) => purpose === "main").at(-1)?.body.messages);
      expect(sent).toContain("hookline: the hook's process ended with status 137");
    } finally {
      expect((await hookline("uninstall")).code).toBe(0);
      await world.remove();
    }
  });
});

describe.skipIf(client === "")("Claude Code and a daemon that is killed", () => {
  test("a guard in the user's settings refuses after its daemon was killed in the same session", async () => {
    const world = await makeWorld({ ".claude/hooks.ts": app, "package.json": "{}" });
    const hookline = hooklineIn(world);
    try {
      await mkdir(join(world.project, "node_modules"));
      symlinkSync(dirname(dist), join(world.project, "node_modules/hookline"));
      expect((await hookline("install", "--scope", "user")).code).toBe(0);
      await startDaemon(world, hookline);
      const { out } = await hookline("serve", join(world.project, ".claude/hooks.ts"), "--status", "--json");
      const { pid } = JSON.parse(out) as { pid: number };
      const bash = (command: string) => ({ tool: "Bash", input: { command } });
      const run = await runClient({
        client,
        world,
        prompt: "Go.",
        args: ["--allowedTools", "Bash"],
        env: environmentOf(world),
        script: {
          main: [bash(`kill -9 ${pid} && touch killed.txt`), bash("touch denied.txt"), "Done.", "Done at last."],
        },
      });
      expect(["killed.txt", "denied.txt"].map((name) => existsSync(join(world.project, name)))).toEqual([true, false]);
      const sent = JSON.stringify(run.requests.filter(({ purpose }) => purpose === "main").at(-1)?.body.messages);
      expect(sent).toContain("the app says no");
    } finally {
      await hookline("uninstall", "--scope", "user");
      await world.remove();
    }
  });
});

type Hookline = (...words: readonly string[]) => Promise<{ readonly code: number; readonly out: string }>;

function environmentOf({ root }: World): Record<string, string> {
  return { HOOKLINE_HOME: join(root, "state") };
}

function hooklineIn(world: World): Hookline {
  const env = { PATH: process.env["PATH"] ?? "", HOME: world.home, ...environmentOf(world) };
  return (...words) =>
    new Promise((done) => {
      execFile(process.execPath, [join(dist, "cli/bin.cjs"), ...words], { cwd: world.project, env }, (error, out) =>
        done({ code: error === null ? 0 : Number(error.code ?? 1), out }),
      );
    });
}

/** The first prompt of a session starts it; a scripted model is so quick that the next event would come before it is there. */
async function startDaemon({ root }: World, hookline: Hookline): Promise<void> {
  const file = join(root, "prompt.json");
  await writeFile(file, '{"prompt": "wake up"}');
  await hookline("fire", "UserPromptSubmit", "--input", file);
  for (let tries = 0; tries < 40; tries++) if ((await hookline("status")).out.includes("pid ")) return;
  throw new Error("no daemon came up");
}
