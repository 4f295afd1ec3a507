/** What one call of a hook costs, against a bare start of Node. */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { peerFolder } from "./peer.mjs";
import { startsOf, startTimer } from "./start-timer.mjs";
import { median } from "./statistics.mjs";

const root = resolve(import.meta.dirname, "..");
const program = join(root, "dist/cli/bin.cjs");

const app = `import { createApp, deny } from "hookline/sdk";
const app = createApp();
app.preTool("Bash", ({ input }) => (input.command.includes("echo") ? deny("not here") : undefined));
export default app;
`;

/** Theirs, as quoted; not measured here. */
const quoted = [
  "fasthooks, as its authors say: 2.5 s cold and 0.3 to 0.5 s warm through uv, 0.95 ms for its server",
  "mauribadnights/clooks, as its author says: 0.31 ms; codestripes/clooks, as its author says: 7 to 8 ms warm",
  "fasthooks 0.1.3 without uv, measured by us elsewhere: 3.83 × a bare start of Node",
];

export async function measure({ long, say }) {
  const folder = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  mkdirSync(join(folder, "home"));
  const env = {
    ...process.env,
    HOME: join(folder, "home"),
    HOOKLINE_HOME: join(folder, "state"),
    CLAUDE_PROJECT_DIR: folder,
  };
  const served = [];
  try {
    const world = prepare(folder, env);
    const peer = peerHook(folder, say);
    const first = timed(() => world.start([process.execPath, program, "run", world.ts], world.payload));
    // What compiles the client has nothing to do with the daemon's start.
    const serve = [process.execPath, program, "serve", world.mjs];
    const daemon = timed(() => world.start(serve, "/dev/null", { HOOKLINE_CLIENT: "script" }));
    served.push(world.mjs);
    const isCompiled = installed(world, say);
    const warm = await openWarm(world);
    for (const name of ["mjs", "ts", "project", "local", "script"])
      mustDeny(world.start(world.words[name], world.payload));
    await builtAhead(world);
    const rounds = long ? 300 : 100;
    say(`${rounds} rounds of ${Object.keys(world.words).length + (peer ? 1 : 0)} starts and ten http calls each`);
    const seen = await roundRobin(world, warm, { ...world.words, ...(peer ? { peer } : {}) }, rounds);
    const node = median(seen.node);
    const times = (ms) => `${(ms / node).toFixed(3)} × a bare start (${ms.toFixed(1)} ms)`;
    say(`without a budget: first start of a .ts file ${times(first)}, start of a daemon ${times(daemon)}`);
    say(
      `without a budget: client with 64 KiB ${times(await longPayload(world))}, 20 calls at once ${times(await atOnce(world))}`,
    );
    say(`without a budget: client of local scope, first start after one of Node ${times(median(seen.afterNode))}`);
    say(`without a budget: a .mjs file imported as it is ${times(median(seen.asItIs))}`);
    const many = await hundredHandlers(world, served);
    say(`without a budget: an app of 100 handlers, cold ${times(many.cold)}, over http ${times(many.warm)}`);
    say(
      peer
        ? `cc-hooks-ts, same hook, with node: ${times(median(seen.peer))}`
        : "cc-hooks-ts is not installed, so it is not compared",
    );
    for (const line of quoted) say(line);
    warm.close();
    return [
      row("cold run of a .mjs file, built ahead", 1.15, seen.mjs, seen.node),
      row("cold run of a .ts file, second start", 1.2, seen.ts, seen.node),
      row("http round trip, warm", 0.02, seen.http, seen.node),
      row("client, warm daemon: entry of project scope", isCompiled ? 0.05 : 0.07, seen.project, seen.node),
      row("client, warm daemon: entry of user or local scope", isCompiled ? 0.03 : 0.07, seen.local, seen.node),
      againstPerl(row("client, warm daemon: without a C compiler", 0.07, seen.script, seen.node), seen),
    ].map((one) => ({ ...one, figure: `${one.figure}${cpuOf(seen.cpu, one.key)}` }));
  } finally {
    for (const file of served) spawnSync(process.execPath, [program, "serve", file, "--stop"], { env });
    rmSync(folder, { recursive: true, force: true });
  }
}

function prepare(folder, env) {
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules/hookline"));
  writeFileSync(join(folder, "package.json"), "{}");
  const mjs = join(folder, "hooks.mjs");
  const ts = join(folder, "hooks.ts");
  writeFileSync(mjs, app);
  writeFileSync(ts, app.replace("({ input })", "({ input }: { input: { command: string } })"));
  // `await` outside of functions keeps a file from being built ahead: this is what every first start costs.
  const asItIs = join(folder, "as-it-is.mjs");
  writeFileSync(asItIs, `${app}await undefined;\n`);
  const payload = join(folder, "payload.json");
  writeFileSync(payload, `${recorded()}\n`);
  const start = ([name, ...words], input, more = {}) =>
    spawnSync(name, words, { cwd: folder, env: { ...env, ...more }, input: readFileSync(input), encoding: "utf8" })
      .stdout;
  return {
    folder,
    env,
    timer: startTimer(folder),
    mjs,
    ts,
    payload,
    start,
    cli: (...words) => start([process.execPath, program, ...words], "/dev/null"),
    words: {
      node: [process.execPath, "-e", "0"],
      mjs: [process.execPath, program, "run", mjs],
      asItIs: [process.execPath, program, "run", asItIs],
      ts: [process.execPath, program, "run", ts],
    },
  };
}

/** The first start of each file builds it in the background; here nothing else runs meanwhile. */
async function builtAhead({ env }) {
  const scripts = () => readdirSync(join(env.HOOKLINE_HOME, "builds")).filter((name) => name.endsWith(".cjs"));
  for (let tries = 0; scripts().length < 2; tries++) {
    if (tries === 200) throw new Error("the hooks files were not built ahead");
    await new Promise((done) => setTimeout(done, 100));
  }
}

/**
 * Installs the app in both kinds of scope and takes the calls from the entries. The third call is that of a package whose client was not
 * compiled. Returns whether there is a compiled client.
 */
function installed(world, say) {
  const { folder, mjs } = world;
  const { client } = JSON.parse(world.cli("install", mjs, "--json"));
  world.cli("install", mjs, "--scope", "local", "--json");
  // The first client after a start of Node takes half a millisecond longer, whichever it is; it has a line of its own.
  world.words.afterNode = callIn(folder, "settings.local.json");
  world.words.project = callIn(folder, "settings.json");
  world.words.local = callIn(folder, "settings.local.json");
  cpSync(join(root, "client"), join(folder, "as-shipped/client"), { recursive: true });
  symlinkSync(join(root, "dist"), join(folder, "as-shipped/dist"));
  world.words.perl = ["/bin/sh", "-c", "exec /usr/bin/perl -f -e 0"];
  world.words.script = [join(folder, "as-shipped/client/hookline-client"), mjs];
  if (client !== "compiled") say("there is no C compiler (cc), so each scope calls the script");
  return client === "compiled";
}

/** What the entry for PreToolUse starts. */
function callIn(folder, settingsFile) {
  const settings = JSON.parse(readFileSync(join(folder, ".claude", settingsFile), "utf8"));
  const [{ command, args }] = settings.hooks.PreToolUse[0].hooks;
  return [command, ...args].map((word) => word.replaceAll(`\${CLAUDE_PROJECT_DIR}`, folder));
}

/** The recorded PreToolUse of a shell command, about half a kilobyte. */
function recorded() {
  const lines = readFileSync(join(root, "test/fixtures/payloads/PreToolUse.jsonl"), "utf8").split("\n");
  return lines.find((line) => line.includes(`"command":"echo hi"`));
}

/** The same hook with a peer that npm can install, called by Node; its README calls it by Bun, which few have. */
function peerHook(folder, say) {
  try {
    const installed = peerFolder("cc-hooks-ts", "2.1.251", say);
    const file = join(folder, "peer.mjs");
    symlinkSync(installed, join(folder, "node_modules/cc-hooks-ts"));
    writeFileSync(
      file,
      `import { defineHook, runHook } from "cc-hooks-ts";
await runHook(defineHook({
  trigger: { PreToolUse: { Bash: true } },
  run: (c) => (c.input.tool_input.command.includes("echo") ? c.blockingError("not here") : c.success()),
}));
`,
    );
    return [process.execPath, file];
  } catch (error) {
    say(`cc-hooks-ts is skipped: ${String(error.message).split("\n")[0]}`);
    return undefined;
  }
}

/** A connection that stays open, as a host's http client has it. */
async function openWarm(world) {
  const folder = join(world.env.HOOKLINE_HOME, "daemon");
  const status = JSON.parse(world.cli("serve", world.mjs, "--status", "--json"));
  const [, , , port, key, token] = readFileSync(recordOf(folder, status.pid), "utf8").split(" ");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = readFileSync(world.payload);
  const headers = {
    Authorization: `Bearer ${token}`,
    "Content-Type": "application/json",
    "Content-Length": body.length,
  };
  const call = () =>
    new Promise((done, fail) => {
      const asked = request(
        { host: "127.0.0.1", port, path: `/v1/hook/${key}`, method: "POST", headers, agent },
        (reply) => {
          let text = "";
          reply.on("data", (part) => {
            text += part;
          });
          reply.on("end", () => done(text));
        },
      );
      asked.on("error", fail);
      asked.end(body);
    });
  for (let i = 0; i < 3_000; i++) await call();
  mustDeny(await call());
  return { call, close: () => agent.destroy() };
}

function recordOf(folder, pid) {
  const found = spawnSync("grep", ["-rlE", `^hookline/1 ${pid} `, folder], { encoding: "utf8" })
    .stdout.trim()
    .split("\n");
  return found[0];
}

/** One round: each program once, then http. A small program starts and times them, so that all bear the same small cost. */
async function roundRobin(world, warm, words, rounds) {
  await startsOf(world, words, 3);
  // As over http: a daemon that answers clients all day has compiled that way, too.
  await startsOf(world, { local: words.local }, 1_500);
  const seen = { http: [], cpu: {} };
  for (const name of Object.keys(words)) seen[name] = [];
  const chunk = 5;
  for (let round = 0; round < rounds; round += chunk) {
    for (const [name, took] of await startsOf(world, words, chunk)) seen[name].push(took);
    for (let i = 0; i < chunk * 10; i++) seen.http.push(await timedAsync(warm.call));
  }
  for (const [name, one] of Object.entries(words)) seen.cpu[name] = await cpuOfStart(world, one);
  return seen;
}

/** Milliseconds of processor time of one start, over twenty of them, where the system tells. */
async function cpuOfStart(world, words) {
  if (process.platform !== "linux") return 0;
  const before = childrenCpu();
  for (let i = 0; i < 20; i++) world.start(words, world.payload);
  return (childrenCpu() - before) / 20;
}

function childrenCpu() {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
}

async function longPayload(world) {
  const long = join(world.folder, "long.json");
  const event = { ...JSON.parse(recorded()), more: "x".repeat(64 * 1024) };
  writeFileSync(long, `${JSON.stringify(event)}\n`);
  return median(
    (await startsOf({ ...world, payload: long }, { local: world.words.local }, 20)).map(([, took]) => took),
  );
}

/** Twenty calls of the client at the same time, until the last has its answer. */
function atOnce(world) {
  const one = () =>
    new Promise((done) => {
      const [client, ...words] = world.words.local;
      const child = spawn(client, words, {
        cwd: world.folder,
        env: world.env,
        stdio: ["pipe", "ignore", "ignore"],
      });
      child.stdin.end(readFileSync(world.payload));
      child.on("close", done);
    });
  return timedAsync(() => Promise.all(Array.from({ length: 20 }, one)));
}

async function hundredHandlers(world, served) {
  const file = join(world.folder, "many.mjs");
  const guard = `app.preTool("Bash", ({ input }) => (input.command.includes("rm -rf") ? deny("no") : undefined));`;
  writeFileSync(file, app.replace("app.preTool", `${`${guard}\n`.repeat(99)}app.preTool`));
  const cold = median(
    (await startsOf(world, { cold: [process.execPath, program, "run", file] }, 10)).map(([, took]) => took),
  );
  world.cli("serve", file);
  served.push(file);
  const warm = await openWarm({ ...world, mjs: file });
  const times = [];
  for (let i = 0; i < 100; i++) times.push(await timedAsync(warm.call));
  warm.close();
  return { cold, warm: median(times) };
}

function mustDeny(text) {
  if (!text.includes(`"permissionDecision":"deny"`)) throw new Error(`the app did not deny: ${text}`);
}

function timed(work) {
  const begun = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - begun) / 1e6;
}

async function timedAsync(work) {
  const begun = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - begun) / 1e6;
}

function row(name, budget, us, node) {
  const ratio = median(us) / median(node);
  const p95 = us.toSorted((a, b) => a - b)[Math.floor(us.length * 0.95)];
  const digits = ratio < 0.1 ? 4 : 3;
  const figure = `${ratio.toFixed(digits)} × (median ${median(us).toFixed(2)} ms against ${median(node).toFixed(1)}, p95 ${p95.toFixed(2)})`;
  return { name, budget: `≤ ${budget} × bare node`, figure, share: ratio / budget, key: keyOf(name) };
}

/** The same row with a second comparison: the start of a shell and of Perl is the most of this call on every machine. */
function againstPerl(row, { script, perl }) {
  const ratio = median(script) / median(perl);
  return {
    ...row,
    figure: `${row.figure}, ${ratio.toFixed(2)} × a shell that starts Perl (${median(perl).toFixed(2)} ms)`,
  };
}

/** The measured start that a row is about, for its processor time; http starts nothing. */
function keyOf(name) {
  const keys = {
    mjs: ".mjs ",
    ts: ".ts ",
    project: "project scope",
    local: "local scope",
    script: "without a C compiler",
  };
  return Object.keys(keys).find((key) => name.includes(keys[key])) ?? "http";
}

function cpuOf(cpu, key) {
  if (!cpu[key]) return "";
  return `, CPU ${cpu[key].toFixed(1)} ms = ${(cpu[key] / cpu.node).toFixed(3)} ×`;
}
