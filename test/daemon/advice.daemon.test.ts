import { spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { callHookline } from "../../src/cli/fixtures/caller.ts";
import { dist } from "../../src/files/fixtures/programs.ts";
import { findCompiler } from "../../src/install/client/compile-client.ts";

/** A project with a package of its own and an app, and `hookline` in PATH. */
interface Machine {
  readonly project: string;
  readonly home: string;
  readonly state: string;
  /** The project's own copy of the package. */
  readonly own: string;
  readonly hooksFile: string;
  /** A line as a user types it. */
  type(line: string): Promise<Ran>;
  /** What `hookline doctor --json` or `status --json` prints. */
  look(command: string): Promise<string>;
  /** Folders in front of PATH, or all of it. */
  path: string;
  /** Whether a daemon is to be ended. */
  serves: boolean;
}

interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const app = (body: string) => `import { createApp } from "hookline/sdk";\nexport default createApp()${body};\n`;
const bash = '.preTool("Bash", () => undefined)';

/** A copy that projects link to unless their client is compiled, which changes the package. */
const shared = realpathSync(mkdtempSync(join(tmpdir(), "hookline-advice-package-")));
beforeAll(() => copyPackage(shared));
afterAll(() => rmSync(shared, { recursive: true, force: true }));

function copyPackage(to: string): void {
  const isNeeded = (path: string) => !/\.(?:d\.ts|map)$/.test(path);
  cpSync(dist, join(to, "dist"), { recursive: true, filter: isNeeded });
  cpSync("client", join(to, "client"), { recursive: true });
  cpSync("package.json", join(to, "package.json"));
  symlinkSync(resolve("node_modules"), join(to, "node_modules"));
}

function machine(compiles: boolean): Machine {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-advice-")));
  const [project, home, state, bin] = ["an author's project", "home", "state", "bin"].map((name) => join(folder, name));
  if (project === undefined || home === undefined || state === undefined || bin === undefined) throw new Error();
  const own = join(project, "node_modules", "hookline");
  for (const path of [join(project, ".claude"), dirname(own), home, bin]) mkdirSync(path, { recursive: true });
  if (compiles) copyPackage(own);
  else symlinkSync(shared, own);
  writeFileSync(join(project, "package.json"), "{}");
  const hooksFile = join(project, ".claude", "hooks.mjs");
  writeFileSync(hooksFile, app(bash));
  const shim = join(bin, "hookline");
  writeFileSync(shim, `#!/bin/sh\nexec '${process.execPath}' "${own}/dist/cli/bin.cjs" "$@"\n`, { mode: 0o755 });
  // Compiling takes longer than all else, and most advice does not depend on it.
  const client = compiles ? {} : { HOOKLINE_CLIENT: "script" };
  const env = () => ({ PATH: here.path, HOME: home, HOOKLINE_HOME: state, ...client });
  const here: Machine = {
    project,
    home,
    state,
    own,
    hooksFile,
    path: `${bin}:${process.env["PATH"] ?? ""}`,
    serves: false,
    async look(command) {
      // Which package is asked matters only to advice about its client; all else is asked in this process, which is quicker.
      if (compiles) return (await here.type(`hookline ${command} --json`)).out;
      return (await callHookline([command, "--json"], { home, cwd: project, env: env() })).out;
    },
    type: (line) =>
      new Promise((done, fail) => {
        const child = spawn("/bin/sh", ["-c", line], { cwd: project, env: env(), stdio: ["ignore", "pipe", "pipe"] });
        let [out, err] = ["", ""];
        child.stdout.on("data", (part: Buffer) => (out += part.toString()));
        child.stderr.on("data", (part: Buffer) => (err += part.toString()));
        child.on("error", fail);
        child.on("close", (code) => done({ code, out, err }));
      }),
  };
  onTestFinished(async () => {
    if (here.serves) await here.type("hookline serve .claude/hooks.mjs --stop");
    rmSync(folder, { recursive: true, force: true });
  }, 30_000);
  return here;
}

/** What doctor and status say about a code. */
async function shown(here: Machine, code: string): Promise<readonly string[]> {
  const [ofDoctor, ofStatus] = [await here.look("doctor"), await here.look("status")];
  const doctor = JSON.parse(ofDoctor) as { findings: readonly { code: string; message: string }[] };
  const status = JSON.parse(ofStatus) as {
    scopes: readonly { drift: readonly { kind: string; message: string }[] }[];
  };
  const drift = status.scopes.flatMap((one) => one.drift).map(({ kind, message }) => ({ code: kind, message }));
  return [...doctor.findings, ...drift].filter((one) => one.code === code).map(({ message }) => message);
}

/** The command in a message. */
function advised(message: string): string {
  const options = / --(?:fix|strip-comments|(?:scope|transport) \w+)| \S*'[^ ]*/.source;
  const found = new RegExp(`hookline (?:install|doctor|uninstall|trust)(?:${options})*`).exec(message);
  if (found === null) throw new Error(`no command in: ${message}`);
  return found[0];
}

interface Trouble {
  readonly install: string;
  /** What happens to the installed app. */
  readonly by: (here: Machine) => unknown;
  /** Needs a C compiler. */
  readonly compiles?: true;
}

const http = "hookline install --scope user .claude/hooks.mjs --transport http --allow-http-decisions";
const userSettings = (here: Machine) => join(here.home, ".claude", "settings.json");
const edit = (file: string, of: (text: string) => string) => writeFileSync(file, of(readFileSync(file, "utf8")));

const troubles: Readonly<Record<string, Trouble>> = {
  "bash-missing": {
    install: "hookline install",
    by: (here) => {
      const few = join(here.home, "few");
      mkdirSync(few);
      for (const name of ["sh", "node", "ls"])
        symlinkSync(`${name === "node" ? process.execPath : `/bin/${name}`}`, join(few, name));
      here.path = `${here.path.split(":")[0]}:${few}`;
    },
  },
  "client-stale": {
    compiles: true,
    install: "hookline install --scope local",
    by: (here) => edit(join(here.own, "client", "hookline-client.c"), (text) => `${text}\n/* newer */\n`),
  },
  "client-script": {
    compiles: true,
    install: "HOOKLINE_CLIENT=script hookline install --scope local",
    by: () => undefined,
  },
  "token-readable": {
    install: `${http} --literal-token`,
    by: (here) => chmodSync(userSettings(here), 0o644),
  },
  "daemon-stale": {
    install: "hookline install --scope local",
    by: async (here) => {
      here.serves = true;
      await here.type("hookline serve .claude/hooks.mjs");
      const folder = join(here.state, "daemon");
      const [key = ""] = readdirSync(folder).filter((name) => existsSync(join(folder, name, "record")));
      edit(join(folder, key, "record"), (text) => text.replace(/ 0\.1\.0 /, " 0.0.9 "));
    },
  },
  "port-taken": {
    install: `${http} --literal-token`,
    by: async (here) => {
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(readFileSync(userSettings(here), "utf8")) ?? [];
      const stranger = createServer().listen(Number(port), "127.0.0.1");
      onTestFinished(() => void stranger.close());
      await new Promise((done) => stranger.once("listening", done));
    },
  },
  "url-forbidden": {
    install: `${http} --token-env TOKEN`,
    by: (here) =>
      edit(userSettings(here), (text) => text.replace("{", '{ "allowedHttpHookUrls": ["https://example.com/*"],')),
  },
  "handler-added": {
    install: "hookline install",
    by: (here) => writeFileSync(here.hooksFile, app(`${bash}.onStop(() => undefined)`)),
  },
  "handler-removed": {
    install: "hookline install --scope local",
    by: (here) => writeFileSync(here.hooksFile, app(".onStop(() => undefined)")),
  },
};

const isCompiler = findCompiler(process.env) !== undefined;
const tried = Object.entries(troubles).filter(([, { compiles }]) => isCompiler || !compiles);

test.each(tried)(
  "what doctor and status advise about %s works as it is printed",
  async (code, { install, by, compiles = false }) => {
    const here = machine(compiles);
    const installed = await here.type(install);
    expect([installed.code, installed.err]).toEqual([0, ""]);
    await by(here);
    const [message = ""] = await shown(here, code);
    const line = advised(message);
    const followed = await here.type(line);
    expect([message, line, followed.err]).toEqual([message, line, ""]);
    expect([line, followed.code]).toEqual([line, 0]);
    expect([message, line, await shown(here, code)]).toEqual([message, line, []]);
  },
  90_000,
);
