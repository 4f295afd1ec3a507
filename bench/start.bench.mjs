/** What starting a command costs, and what a hooks file pays that imports a second entry point, against a bare start of Node. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startsOf, startTimer } from "./start-timer.mjs";
import { median } from "./statistics.mjs";

const root = resolve(import.meta.dirname, "..");
const program = join(root, "dist/cli/bin.cjs");

const settings = {
  permissions: { allow: ["Bash(git *)", "Read"] },
  hooks: { Stop: [{ hooks: [{ type: "command", command: "true" }] }] },
};

const commands = {
  "fire Stop": ["fire", "Stop"],
  check: ["check", "Bash", "--input", '{"command":"git status"}'],
  explain: ["explain", "Stop"],
  list: ["list"],
  "sessions ls": ["sessions", "ls", "--root", join(root, "examples/sessions")],
};

/** Each hooks file uses what it imports. */
const hooks = {
  sessions: [`import { openSession } from "hookline/sessions";`, "typeof openSession"],
  permissions: [`import { judge } from "hookline/permissions";`, "typeof judge"],
};

export async function measure({ long, say }) {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  try {
    const world = prepare(folder);
    const words = { node: [process.execPath, "-e", "0"] };
    for (const [name, args] of Object.entries(commands)) words[key(name)] = [process.execPath, program, ...args];
    for (const name of Object.keys(hooks))
      words[name] = [process.execPath, program, "run", await builtAhead(world, name)];
    for (const [name, [file, ...args]] of Object.entries(words)) mustSucceed(world, name, file, args);
    const rounds = long ? 100 : 30;
    say(`${rounds} rounds of ${Object.keys(words).length} starts`);
    const times = Object.fromEntries(Object.keys(words).map((name) => [name, []]));
    for (const [name, took] of await startsOf(world, words, rounds)) times[name].push(took);
    const row = (name, budget, title) => {
      const ratio = median(times[name]) / median(times.node);
      const figure = `${ratio.toFixed(3)} × (${median(times[name]).toFixed(1)} ms against ${median(times.node).toFixed(1)})`;
      return { name: title, budget: `≤ ${budget} × bare node`, figure, share: ratio / budget };
    };
    return [
      ...Object.keys(commands).map((name) => row(key(name), 1.7, `hookline ${name}`)),
      ...Object.keys(hooks).map((name) => row(name, 1.3, `a hooks file that imports hookline/${name}`)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const key = (name) => name.replaceAll(" ", "-");

function prepare(folder) {
  for (const path of ["node_modules", "home/.claude", "state"]) mkdirSync(join(folder, path), { recursive: true });
  symlinkSync(root, join(folder, "node_modules/hookline"));
  writeFileSync(join(folder, "package.json"), "{}");
  writeFileSync(join(folder, "home/.claude/settings.json"), JSON.stringify(settings));
  const payload = join(folder, "payload.json");
  writeFileSync(
    payload,
    JSON.stringify({ session_id: "s", cwd: folder, hook_event_name: "Stop", stop_hook_active: false }),
  );
  const env = { ...process.env, HOME: join(folder, "home"), HOOKLINE_HOME: join(folder, "state") };
  return { folder, env, payload, timer: startTimer(folder) };
}

/** A hooks file after its first start, which has it built for all others. */
async function builtAhead(world, name) {
  const [head, use] = hooks[name];
  const file = join(world.folder, `${name}.mjs`);
  const body = `export default createApp().onStop(() => { if (${use} !== "function") throw new Error(); });\n`;
  writeFileSync(file, `import { createApp } from "hookline/sdk";\n${head}\n${body}`);
  const builds = join(world.env.HOOKLINE_HOME, "builds");
  const count = () => (existsSync(builds) ? readdirSync(builds).length : 0);
  const before = count();
  mustSucceed(world, name, process.execPath, [program, "run", file]);
  for (let tries = 0; count() === before && tries < 100; tries++) await new Promise((done) => setTimeout(done, 50));
  return file;
}

function mustSucceed({ folder, env, payload }, name, file, args) {
  const command = `exec "$@" < "${payload}"`;
  const { status, stderr } = spawnSync("sh", ["-c", command, "sh", file, ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
}
