import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type World, world } from "../install/fixtures/world.ts";
import { type CommandResult, callHookline } from "./fixtures/caller.ts";

type Hookline = (...words: readonly string[]) => Promise<CommandResult>;

interface Shown {
  readonly code: string;
  readonly message: string;
}

function caller({ home, state }: World, cwd: string): Hookline {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state, HOOKLINE_CLIENT: "script" };
  return (...words) => callHookline(words, { home, cwd, env });
}

/** What doctor and status print about a code. */
async function shown(hookline: Hookline, code: string): Promise<readonly string[]> {
  const result = await hookline("doctor", "--json");
  if (result.out === "") throw new Error(result.err);
  const doctor = JSON.parse(result.out) as { findings: readonly Shown[] };
  const status = await hookline("status", "--json");
  const { scopes } = JSON.parse(status.out || "{}") as { scopes?: { drift: { kind: string; message: string }[] }[] };
  const drift = (scopes ?? []).flatMap((one) => one.drift).map(({ kind, message }) => ({ code: kind, message }));
  return [...doctor.findings, ...drift].filter((one) => one.code === code).map(({ message }) => message);
}

/** The command in a message, as a user would copy it. */
function advised(message: string): readonly string[] {
  const found =
    /hookline (?:install|doctor|uninstall|trust)(?: --fix| --scope \w+| --transport \w+| --strip-comments)*/.exec(
      message,
    );
  if (found === null) throw new Error(`no command in: ${message}`);
  return found[0].split(" ").slice(1);
}

const app = (body: string) => `import { createApp } from "hookline/sdk";\nexport default createApp()${body};\n`;
const stop = app(".onStop(() => undefined)");
const local = ["install", "--scope", "local", "--transport", "run"];

interface Break {
  readonly code: string;
  /** What happens to an installed app. */
  readonly by: (here: World, hookline: Hookline) => unknown;
}

const settingsOf = (here: World) => join(here.project, ".claude", "settings.local.json");
const edit = (file: string, of: (text: string) => string) => writeFileSync(file, of(readFileSync(file, "utf8")));

const breaks: Readonly<Record<string, Break>> = {
  "missing entries": { code: "hooks-dropped", by: (here) => writeFileSync(settingsOf(here), "{}") },
  "missing entries, without the user's notes": {
    code: "hooks-dropped",
    by: (here) => {
      writeFileSync(settingsOf(here), "{}");
      rmSync(join(here.state, "installs"), { recursive: true });
    },
  },
  "an altered entry": {
    code: "install-drift",
    by: (here) => edit(settingsOf(here), (text) => text.replace(/"timeout": \d+/, '"timeout": 77')),
  },
  "a lost lock file": {
    code: "lock-missing",
    by: (here) => rmSync(join(here.project, ".claude", ".hookline.local.lock")),
  },
  "a missing hooks file": { code: "hooks-file-missing", by: (here) => rmSync(here.hooksFile) },
  "a missing program": {
    code: "package-missing",
    by: (here) => {
      const gone = join(here.folder, "gone-node");
      for (const file of [settingsOf(here), join(here.project, ".claude", ".hookline.local.lock")])
        edit(file, (text) => text.replaceAll(JSON.stringify(process.execPath), JSON.stringify(gone)));
      rmSync(join(here.state, "installs"), { recursive: true });
    },
  },
  "comments in the settings": {
    code: "client-cannot-read",
    by: (here) => edit(settingsOf(here), (text) => text.replace("{", "{ // mine\n")),
  },
  "the same app in two scopes": {
    code: "two-scopes",
    by: (_, hookline) => hookline("install", ".claude/hooks.mjs", "--scope", "user", "--transport", "run"),
  },
  "code that changed since the approval": {
    code: "hook-untrusted",
    by: (here) => writeFileSync(here.hooksFile, `${stop}// edited\n`),
  },
};

test.each(Object.entries(breaks))(
  "the advice about %s works",
  async (_, { code, by }) => {
    const here = world();
    const hookline = caller(here, here.project);
    writeFileSync(here.hooksFile, stop);
    expect((await hookline(...local)).status).toBe(0);
    expect(await shown(hookline, code)).toEqual([]);
    await by(here, hookline);
    const [message = ""] = await shown(hookline, code);
    const words = code === "install-drift" ? ["doctor", "--fix"] : advised(message);
    const followed = await hookline(...words, ...(words[0] === "trust" ? ["--yes"] : []));
    expect([message, words, followed.status, followed.err]).toEqual([message, words, expect.anything(), ""]);
    expect(await shown(hookline, code)).toEqual([]);
  },
  60_000,
);

test("after a move of the project the advice is an install, and it works", async () => {
  const here = world();
  writeFileSync(here.hooksFile, stop);
  await caller(here, here.project)(...local);
  const moved = join(here.folder, "moved");
  renameSync(here.project, moved);
  const file = join(moved, ".claude", "settings.local.json");
  edit(file, (text) => text.replace('"Stop"', '"SubagentStop"'));
  const hookline = caller(here, moved);
  const { out } = await hookline("status");
  const line = out.split("\n").find((one) => one.includes("restores the entries")) ?? "";
  expect(line).toContain("hookline install --scope local --transport run");
  expect((await hookline(...advised(line))).status).toBe(0);
  expect((await hookline("status")).status).toBe(0);
}, 60_000);

test("the advice about a script that is not executable, and about a matcher that never matches, works", async () => {
  const here = world();
  const hookline = caller(here, here.project);
  const script = join(here.folder, "guard.sh");
  const file = join(here.home, ".claude", "settings.json");
  mkdirSync(dirname(file));
  writeFileSync(script, "#!/bin/sh\n", { mode: 0o644 });
  const group = { matcher: "bash", hooks: [{ type: "command", command: script }] };
  writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: [group] } }));
  expect(await shown(hookline, "script-not-executable")).toEqual([`${script} is not executable. Run chmod +x on it.`]);
  chmodSync(script, 0o755);
  expect(await shown(hookline, "script-not-executable")).toEqual([]);
  const [never = ""] = await shown(hookline, "matcher-never");
  const meant = /Did you mean "(.*)"\?/.exec(never)?.[1];
  writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: [{ ...group, matcher: meant }] } }));
  expect(await shown(hookline, "matcher-never")).toEqual([]);
}, 60_000);

test("the lock file is not writable by others, whatever the umask", async () => {
  const here = world();
  const before = process.umask(0);
  try {
    writeFileSync(here.hooksFile, stop);
    await caller(here, here.project)(...local);
  } finally {
    process.umask(before);
  }
  expect(statSync(join(here.project, ".claude", ".hookline.local.lock")).mode & 0o022).toBe(0);
});

test("a --settings file that is missing is an error that says only that", async () => {
  const here = world();
  const { status, err } = await caller(here, here.project)("fire", "Stop", "--settings", "nope.json");
  const file = join(here.project, "nope.json");
  expect([status, err.trim()]).toEqual([1, `hookline: ${file} cannot be read: there is no such file.`]);
});

test("install says when the same app is installed in another scope too, and status names the transport of each event", async () => {
  const here = world();
  const hookline = caller(here, here.project);
  writeFileSync(here.hooksFile, stop);
  await hookline(...local);
  const { out } = await hookline("install", ".claude/hooks.mjs", "--scope", "user", "--transport", "run");
  expect(out).toContain("The same app is installed in local scope too; its handlers run twice.");
  expect((await hookline("status", "--scope", "local")).out).toContain("transport  run  (run: Stop)");
}, 60_000);
