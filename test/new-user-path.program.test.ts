import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dist } from "../src/files/fixtures/programs.ts";
import { findCompiler } from "../src/install/client/compile-client.ts";

/** A machine with nothing on it but a project, whose name has a blank and a quote, and the built program. */
interface Machine {
  readonly folder: string;
  readonly project: string;
  readonly home: string;
  hookline(...words: readonly string[]): Promise<Ran>;
  fire(event: string, payload: object): Promise<Outcome>;
  read(path: string): string;
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Outcome {
  readonly decision: string;
  readonly reason?: string;
  readonly skipped: readonly { readonly why: string; readonly detail: string }[];
  readonly runs: readonly { readonly ended: { readonly by: string } }[];
}

function machine({ isCopy = false } = {}): Machine {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-new-")));
  const [project, home] = [join(folder, 'the author\'s "first" $project é'), join(folder, "home")];
  mkdirSync(join(project, "node_modules"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(project, "package.json"), "{}");
  const own = join(project, "node_modules", "hookline");
  if (isCopy) {
    const isNeeded = (path: string) => !/\.(?:d\.ts|map)$/.test(path);
    for (const [name, from] of [["dist", dist] as const, ["client", "client"] as const])
      cpSync(from, join(own, name), { recursive: true, filter: isNeeded });
    cpSync("package.json", join(own, "package.json"));
    symlinkSync(resolve("node_modules"), join(own, "node_modules"));
  } else {
    symlinkSync(dirname(dist), own);
  }
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: join(folder, "state"), NO_COLOR: "1" };
  const hookline = (...words: readonly string[]) => run([join(dist, "cli", "bin.cjs"), ...words], project, env);
  onTestFinished(async () => {
    // Whatever went wrong, no daemon of ours keeps running.
    const scopes = existsSync(join(folder, "state/daemon")) ? ["project", "user"] : [];
    for (const scope of scopes) await hookline("uninstall", "--scope", scope);
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    project,
    home,
    hookline,
    async fire(event, payload) {
      const file = join(folder, "event.json");
      writeFileSync(file, JSON.stringify(payload));
      const { code, out, err } = await hookline("fire", event, "--input", file, "--json");
      expect([code, err]).toEqual([0, ""]);
      return JSON.parse(out) as Outcome;
    },
    read: (path) => readFileSync(join(project, path), "utf8"),
  };
}

function run(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", fail);
    child.on("close", (code) => done({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }));
  });
}

const deletes = {
  tool_name: "Bash",
  tool_input: { command: "rm -rf build" },
  tool_use_id: "t",
  transcript_path: "none",
};

test("a new user can run init, test, install, an event through the client, status, doctor and uninstall", async () => {
  const { project, folder, hookline, fire, read } = machine();
  expect((await hookline("status")).code).toBe(4);
  expect((await hookline("init")).code).toBe(0);
  expect(await hookline("test")).toMatchObject({ code: 0, out: expect.stringContaining("2 tests, 0 failed") });

  const dry = await hookline("install", "--dry-run");
  expect([dry.code, dry.err, dry.out.includes('+            "timeout": 45')]).toEqual([0, "", true]);
  expect(readdirSync(join(project, ".claude")).sort()).toEqual(["hooks.test.ts", "hooks.ts", "tsconfig.json"]);

  const settings = '{\n\n  "theme" : "dark" }\n';
  writeFileSync(join(project, ".claude/settings.json"), settings);
  const installed = await hookline("install", "--json");
  expect([installed.code, installed.err]).toEqual([0, ""]);
  expect(JSON.parse(installed.out)).toMatchObject({
    scope: "project",
    changed: true,
    approved: 3,
    notApproved: [],
    entries: [
      { event: "SessionStart", transport: "client", matcher: null },
      { event: "UserPromptSubmit", transport: "client", matcher: null },
      { event: "PreToolUse", transport: "client", matcher: "Bash" },
    ],
  });
  expect(read(".claude/settings.json")).not.toContain(folder);
  expect(read(".claude/.hookline.lock")).not.toContain(folder);
  expect(await hookline("install")).toMatchObject({ code: 0, out: expect.stringContaining("nothing has changed") });

  expect(await fire("PreToolUse", deletes)).toMatchObject({ decision: "ask", reason: "This deletes files." });
  expect((await fire("PreToolUse", { ...deletes, tool_input: { command: "ls" } })).decision).toBe("none");
  expect(await hookline("status")).toMatchObject({ code: 0, out: expect.stringContaining("in sync") });
  expect(await hookline("doctor")).toMatchObject({ code: 0, out: expect.stringContaining("No problems found.") });

  expect(await hookline("uninstall")).toMatchObject({
    code: 0,
    out: expect.stringContaining("was restored"),
  });
  expect(read(".claude/settings.json")).toBe(settings);
  expect(readdirSync(join(project, ".claude")).sort()).toEqual([
    "hooks.test.ts",
    "hooks.ts",
    "settings.json",
    "tsconfig.json",
  ]);
  expect((await hookline("status")).code).toBe(4);
  expect((await fire("PreToolUse", deletes)).decision).toBe("none");
});

test.runIf(findCompiler(process.env) !== undefined)(
  "install changes no file of the project's package, and its script starts the compiled client, after npm ci too",
  async () => {
    const { project, folder, hookline, fire, read } = machine({ isCopy: true });
    const packageRoot = join(project, "node_modules/hookline");
    const client = join(packageRoot, "client");
    const look = () => readdirSync(client).map((name) => [name, readFileSync(join(client, name), "latin1")]);
    const shipped = look();
    expect((await hookline("init", "--js")).code).toBe(0);
    expect((await hookline("install")).out).toContain("with   the compiled client, started by a script\n");
    expect(look()).toEqual(shipped);
    const settings = read(".claude/settings.json");
    expect(settings).not.toContain(folder);
    const { hooks } = JSON.parse(settings) as {
      hooks: { PreToolUse: [{ hooks: [{ command: string; args: string[] }] }] };
    };
    const [{ command, args }] = hooks.PreToolUse[0].hooks;
    const [file = "", ...words] = [command, ...args].map((word) =>
      word.replaceAll("$" + "{CLAUDE_PROJECT_DIR}", project),
    );
    // As a host does it: no shell, no PATH beyond the usual one.
    const { stdout } = spawnSync(file, words, {
      cwd: project,
      env: { HOOKLINE_HOME: join(folder, "state"), PATH: process.env["PATH"] },
      input: JSON.stringify({ ...deletes, hook_event_name: "PreToolUse", session_id: "s", cwd: project }),
    });
    expect(stdout.toString()).toContain('"permissionDecision":"ask"');
    expect((await fire("PreToolUse", deletes)).decision).toBe("ask");
    expect((await hookline("status")).out).toContain("client     compiled, started by a script");

    // npm ci
    rmSync(client, { recursive: true });
    cpSync(resolve("client"), client, { recursive: true });
    expect((await fire("PreToolUse", deletes)).decision).toBe("ask");
    expect(await hookline("doctor")).toMatchObject({ code: 0, out: expect.not.stringContaining("client-") });
    expect((await hookline("install")).out).toContain("nothing has changed.");
    expect((await hookline("uninstall")).code).toBe(0);
    expect(look()).toEqual(shipped);
  },
  120_000,
);

const withImport = (more = "") => `import { createApp, deny } from "hookline/sdk";
import { word } from "./words.ts";
const app = createApp();
app.preTool("Bash", ({ input }) => (input.command.includes(word) ? deny("not that word") : undefined));
${more}export default app;
`;

test("what was installed is approved with its imports; a changed import is a changed hook, a new handler is drift", async () => {
  const { project, hookline, fire } = machine();
  mkdirSync(join(project, ".claude"));
  const put = (name: string, text: string) => writeFileSync(join(project, ".claude", name), text);
  put("hooks.ts", withImport());
  put("words.ts", 'export const word = "rm";\n');
  expect((await hookline("install", "--transport", "run")).code).toBe(0);
  expect((await fire("PreToolUse", deletes)).decision).toBe("deny");

  put("words.ts", 'export const word = "never";\n');
  const [skipped] = (await fire("PreToolUse", deletes)).skipped;
  expect([skipped?.why, skipped?.detail]).toEqual([
    "trust",
    expect.stringContaining(".claude/words.ts has changed since it was approved"),
  ]);
  const changed = await hookline("status", "--json");
  expect([
    changed.code,
    (JSON.parse(changed.out) as { scopes: { notes: string[] }[] }).scopes[0]?.notes.length,
  ]).toEqual([0, 1]);
  expect((await hookline("trust", "--yes")).code).toBe(0);
  expect(await fire("PreToolUse", deletes)).toMatchObject({ decision: "none", skipped: [] });

  put("hooks.ts", withImport("app.onStop(() => undefined);\n"));
  expect(await hookline("status")).toMatchObject({
    code: 3,
    out: expect.stringContaining("handler-added: A handler for Stop was added"),
  });
  put("hooks.ts", "export default 1;\n");
  expect(await hookline("install")).toMatchObject({ code: 1, err: expect.stringContaining("exports no app") });
  put("hooks.ts", 'import { createApp } from "hookline/sdk";\nexport default createApp();\n');
  expect(await hookline("install")).toMatchObject({ code: 2, err: expect.stringContaining("has no handlers") });
});

test("over http in user settings a daemon answers, doctor --fix restores dropped hooks, and uninstall leaves nothing", async () => {
  const { home, folder, project, hookline, fire } = machine();
  mkdirSync(join(project, ".claude"));
  mkdirSync(join(home, ".claude"));
  const file = join(home, ".claude/settings.json");
  writeFileSync(file, "{}\n");
  writeFileSync(
    join(project, ".claude/hooks.mjs"),
    'import { createApp, block } from "hookline/sdk";\nexport default createApp().onStop(() => block("go on")).preTool("Bash", () => undefined);\n',
  );
  const http = ["--scope", "user", "--transport", "http", "--allow-http-decisions", "--literal-token"];
  const { code, out } = await hookline("install", ...http, "--json");
  const entries = (JSON.parse(out) as { entries: { event: string; transport: string }[] }).entries;
  expect([code, Object.fromEntries(entries.map(({ event, transport }) => [event, transport]))]).toEqual([
    0,
    { SessionStart: "client", UserPromptSubmit: "client", PreToolUse: "http", Stop: "http" },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const token = /Bearer ([0-9a-f]+)/.exec(readFileSync(file, "utf8"))?.[1] ?? "";
  expect([token.length > 20, out.includes(token)]).toEqual([true, false]);
  expect((await hookline("install", ...http, "--dry-run")).out).toContain("would not change");

  // The client of the first prompt starts the daemon; from then on http is answered.
  await fire("UserPromptSubmit", { prompt: "hello", transcript_path: "none" });
  await until(async () => (await hookline("status")).out.includes("pid "));
  expect(await fire("Stop", { stop_hook_active: false, transcript_path: "none" })).toMatchObject({ reason: "go on" });

  writeFileSync(file, '{"theme": "dark"}\n');
  expect(await hookline("doctor")).toMatchObject({ code: 3, out: expect.stringContaining("hooks-dropped") });
  expect(await hookline("doctor", "--fix")).toMatchObject({
    code: 0,
    out: expect.stringContaining("repaired  Put the entries back"),
  });
  expect(await fire("Stop", { stop_hook_active: false, transcript_path: "none" })).toMatchObject({ reason: "go on" });

  const port = Number(/127\.0\.0\.1:(\d+)/.exec(readFileSync(file, "utf8"))?.[1]);
  expect(await answers(port)).toBe(true);
  expect((await hookline("uninstall")).code).toBe(0);
  expect([readFileSync(file, "utf8"), await answers(port)]).toEqual(['{"theme": "dark"}\n', false]);
  expect(readdirSync(join(home, ".claude"))).toEqual(["settings.json"]);
  expect(filesWith(token, folder).filter((name) => !name.includes("backups"))).toEqual([]);
});

test("doctor --fix installs nothing that was not installed", async () => {
  const { project, hookline } = machine();
  expect((await hookline("init")).code).toBe(0);
  expect(await hookline("doctor", "--fix")).toMatchObject({
    code: 0,
    out: expect.stringContaining("Nothing to repair"),
  });
  expect(existsSync(join(project, ".claude/settings.json"))).toBe(false);
}, 60_000);

test("install reports what a choice means: http in a local file, another app in the same scope", async () => {
  const { project, hookline } = machine();
  mkdirSync(join(project, ".claude"));
  const text = 'import { createApp } from "hookline/sdk";\nexport default createApp().onStop(() => undefined);\n';
  for (const name of ["hooks.mjs", "other.mjs"]) writeFileSync(join(project, ".claude", name), text);
  const http = ["--transport", "http", "--allow-http-decisions", "--token-env", "T"];
  expect(await hookline("install", "--scope", "local", ...http, "--dry-run")).toMatchObject({
    code: 0,
    out: expect.stringContaining("httpHookAllowPrivate"),
  });
  expect(await hookline("install", "--transport", "http")).toMatchObject({
    code: 1,
    err: expect.stringContaining("--scope user"),
  });
  expect((await hookline("install", "--transport", "run")).code).toBe(0);
  const { code, out } = await hookline("install", ".claude/other.mjs", "--transport", "run");
  expect([
    code,
    out.includes("It takes the place of"),
    readFileSync(join(project, ".claude/settings.json"), "utf8").match(/mjs/g),
  ]).toEqual([0, true, ["mjs"]]);
}, 60_000);

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 40; tries++) if (await holds()) return;
  throw new Error("it never came to that");
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" });
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

function filesWith(text: string, folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file, "utf8").includes(text));
}

test("a handler that blocks the event loop ends hookline test with a message, for one event and for cases", async () => {
  const { project, hookline } = machine();
  mkdirSync(join(project, ".claude/hooks-tests"), { recursive: true });
  writeFileSync(
    join(project, ".claude/hooks.mjs"),
    `import { createApp } from "hookline/sdk";
const app = createApp();
app.preTool("Bash", { timeoutMs: 200 }, () => { for (;;); });
export default app;
`,
  );
  const oneCase = { event: "PreToolUse", tool: "Bash", input: { command: "ls" }, expect: { decision: "none" } };
  writeFileSync(join(project, ".claude/hooks-tests/spins.json"), JSON.stringify(oneCase));
  const err = "hookline: A handler of PreToolUse blocked the event loop for longer than 200 ms. The run ends here.\n";
  expect(await hookline("test")).toEqual({ code: 3, out: "", err });
  expect(await hookline("test", "--event", "PreToolUse:Bash", "--input", "{}")).toEqual({ code: 3, out: "", err });
});
