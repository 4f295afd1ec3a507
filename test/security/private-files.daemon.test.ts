import { lstatSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { hooklineProgram, machine } from "./machine.ts";

const payload = JSON.stringify({
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  tool_use_id: "t",
  session_id: "s",
  transcript_path: "none",
  cwd: "/",
});

/** Everything below a folder that is not a link, with its mode. */
function tree(folder: string): readonly { readonly path: string; readonly mode: number }[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path);
    if (stat.isSymbolicLink()) return [];
    return [{ path, mode: stat.mode & 0o777 }, ...(stat.isDirectory() ? tree(path) : [])];
  });
}

test.each(["000", "002"])(
  "every file we create is private whatever the umask: %s",
  async (umask) => {
    const { folder, project, home, state, run } = machine();
    const hookline = (words: readonly string[], input = "") => run([...hooklineProgram, ...words], { umask, input });
    const done = async (...words: readonly string[]) =>
      expect([words, await hookline(words, payload)]).toMatchObject([words, { code: 0 }]);
    await done("init");
    const hooks = join(project, ".claude/hooks.ts");
    await done("install", "--scope", "user", hooks);
    await done("install", "--scope", "local");
    await done("install", "--scope", "project");
    await done("install", "--scope", "project", "--transport", "run");
    await done("run", hooks, "--record", "recorded");
    await done("serve", hooks);
    const client = join(project, "node_modules/hookline/client/hookline-client");
    const called = await run([client, hooks, "--on-failure", "block", "--event", "PreToolUse"], {
      umask,
      input: payload,
    });
    expect(called.code).toBe(0);
    await hookline(["fire", "PreToolUse", "--json"], payload);
    await hookline(["statusline"], payload);
    const all = [...tree(state), ...tree(home), ...tree(project)];
    const shown = (of: typeof all) => of.map(({ path, mode }) => `${relative(folder, path)} ${mode.toString(8)}`);
    // What the test itself made.
    const made = [join(project, "package.json"), join(project, "node_modules")];
    expect(shown(all.filter(({ path, mode }) => (mode & 0o022) !== 0 && !made.includes(path)))).toEqual([]);
    expect(shown([...tree(state), ...tree(home)].filter(({ mode }) => (mode & 0o077) !== 0))).toEqual([]);
    const names = shown(all).join("\n");
    for (const what of [
      "state/daemon/",
      "/record ",
      "/socket ",
      "state/log/",
      "state/backups/",
      "state/installs/",
      "state/client/",
      ".hookline.lock",
      "recorded/",
    ])
      expect(names).toContain(what);
    await done("serve", hooks, "--stop");
  },
  120_000,
);
