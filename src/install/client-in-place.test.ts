import { spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { endOf, killNow, startFixture } from "../files/fixtures/programs.ts";
import { formAt, keptScript, putInPlace, shippedClient, takeOutOfPlace } from "./client-in-place.ts";
import { compileClient, findCompiler } from "./compile-client.ts";
import { linkClient } from "./compiled-client.ts";
import { clientsInUse, installFindings } from "./findings.ts";
import { world } from "./fixtures/world.ts";
import { install } from "./install.ts";
import { isInGit, whyNotInPlace } from "./own-copy.ts";
import { placeClient } from "./place-client.ts";
import { repair } from "./repair.ts";

const env = { PATH: process.env["PATH"] ?? "" };

/** A project with a package of its own, and something to put in the script's place. */
function project() {
  const here = world();
  const packageRoot = join(here.project, "node_modules/hookline");
  cpSync(resolve("client"), join(packageRoot, "client"), { recursive: true });
  writeFileSync(join(packageRoot, "package.json"), '{"name": "hookline", "version": "0.1.0"}');
  const client = shippedClient(packageRoot);
  chmodSync(client, 0o755);
  const program = join(here.folder, "program");
  writeFileSync(program, "\x7fELF");
  return { ...here, root: here.project, packageRoot, client, program };
}

function look(client: string) {
  const { mode, ino } = statSync(client);
  return { bytes: readFileSync(client, "latin1"), mode, ino, names: readdirSync(join(client, "..")) };
}

test("the program takes the script's place and gives it back; the file that a store has too is never written", async () => {
  const { client, program, packageRoot, folder } = project();
  linkSync(client, join(folder, "in-the-store"));
  const before = look(client);
  expect([await putInPlace(program, packageRoot), await putInPlace(program, packageRoot)]).toEqual([true, false]);
  expect([formAt(client), statSync(client).mode, formAt(keptScript(client))]).toEqual([
    "program",
    before.mode,
    "script",
  ]);
  expect(readFileSync(join(folder, "in-the-store"), "latin1")).toBe(before.bytes);
  writeFileSync(program, "\x7fELF, newer");
  expect(await putInPlace(program, packageRoot)).toBe(true);
  expect([await takeOutOfPlace(packageRoot), await takeOutOfPlace(packageRoot)]).toEqual([true, false]);
  expect(look(client)).toEqual(before);
});

test("many at once do not lose the script, and what a killed one kept too much goes", async () => {
  const { client, program, packageRoot } = project();
  const before = look(client);
  await Promise.all(Array.from({ length: 8 }, () => putInPlace(program, packageRoot)));
  expect([formAt(client), readFileSync(keptScript(client), "latin1")]).toEqual(["program", before.bytes]);
  await takeOutOfPlace(packageRoot);
  linkSync(client, keptScript(client));
  expect(await takeOutOfPlace(packageRoot)).toBe(false);
  expect(look(client)).toEqual(before);
});

const trials = Number(process.env["HOOKLINE_TRIALS"] ?? 8);

test(`kill -9 at ${trials} moments leaves the script or the program, whole and executable, and the way back`, async () => {
  const { client, program, packageRoot } = project();
  const before = look(client);
  const started = (count: number) => {
    const loop = startFixture(join(import.meta.dirname, "fixtures/place-loop.mjs"), [program, packageRoot, `${count}`]);
    onTestFinished(() => void loop.kill("SIGKILL"));
    return loop;
  };
  for (let n = 0; n < trials; n++) {
    const loop = started(1_000_000);
    await once(loop.stdout, "data");
    await sleep(Math.random() * 40);
    await killNow(loop);
    const { bytes, mode } = look(client);
    expect(["\x7fELF", before.bytes]).toContain(bytes);
    expect(mode).toBe(before.mode);
  }
  await endOf(started(1));
  expect(look(client)).toMatchObject({ bytes: before.bytes, mode: before.mode, names: before.names });
}, 3_600_000);

test("only a copy of the project's own is changed: no link, no checkout, nothing that another system or git has", async () => {
  const here = project();
  expect(await whyNotInPlace(here)).toBeUndefined();
  const linked = join(here.folder, "linked");
  mkdirSync(join(linked, "node_modules"), { recursive: true });
  symlinkSync(here.packageRoot, join(linked, "node_modules/hookline"));
  const its = { root: linked, packageRoot: join(linked, "node_modules/hookline") };
  expect(await whyNotInPlace(its)).toContain("is not a copy of its own");
  expect(await whyNotInPlace({ root: here.packageRoot, packageRoot: here.packageRoot })).toContain("not a copy");
  // pnpm links to a folder of the project's own.
  const store = join(here.root, "node_modules/.pnpm/hookline@0.1.0/node_modules/hookline");
  mkdirSync(join(store, ".."), { recursive: true });
  renameSync(here.packageRoot, store);
  symlinkSync(store, here.packageRoot);
  expect(await whyNotInPlace(here)).toBeUndefined();

  const made = { program: here.program };
  const place = () => placeClient(made, { ...here, env, dryRun: false });
  expect([await placeClient(made, { ...here, env, dryRun: true }), formAt(here.client)]).toEqual([
    { form: "compiled" },
    "script",
  ]);
  expect([await place(), formAt(here.client)]).toEqual([{ form: "compiled", isPlaced: true }, "program"]);
  expect(await place()).toEqual({ form: "compiled" });
  mkdirSync(join(here.root, ".devcontainer"));
  expect([await place(), formAt(here.client)]).toEqual([
    { form: "compiled", behindScript: "a container (.devcontainer) may use the same files" },
    "script",
  ]);
  rmSync(join(here.root, ".devcontainer"), { recursive: true });
  await place();
  const told = await placeClient({ why: "so" }, { ...here, env: { ...env, HOOKLINE_CLIENT: "script" }, dryRun: false });
  expect([told, formAt(here.client)]).toEqual([{ form: "script", why: "so" }, "script"]);
  if (process.getuid?.() === 0) return;
  chmodSync(join(store, "client"), 0o555);
  expect(await whyNotInPlace(here)).toContain("cannot be written");
  chmodSync(join(store, "client"), 0o755);
});

test("doctor reports a script that starts the compiled client as behindScript", async () => {
  const here = project();
  await install(here.call());
  const bin = join(here.folder, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "cc"]) writeFileSync(join(bin, name), "");
  const standpoint = { cwd: here.root, home: here.home, env: { PATH: bin } };
  const { packageRoot } = here;
  const home = here.source();
  const installer = { packageRoot, version: "0.1.0", node: process.execPath, home, now: () => new Date() };
  const told = async () => [
    await clientsInUse(standpoint, installer),
    (await installFindings(standpoint, installer)).map(({ code, message }) => `${code}: ${message}`),
  ];
  expect(await told()).toEqual([
    [{ scope: "project", client: "script" }],
    ["client-script: The entries call a script. hookline install lets them call a compiled client."],
  ]);
  chmodSync(here.program, 0o700);
  await linkClient(here.program, { packageRoot, home });
  expect(await told()).toEqual([
    [{ scope: "project", client: "compiled", behindScript: true }],
    [expect.stringMatching(/^client-script: .* which starts the compiled client\. hookline install puts/)],
  ]);
});

test("files that git has are known", async ({ skip }) => {
  const here = project();
  const git = (...words: string[]) => spawnSync("git", words, { cwd: here.root, env: { ...env, HOME: here.home } });
  if (git("init", "-q").status !== 0) skip("there is no git");
  expect(await isInGit(here, env)).toBe(false);
  git("add", "-f", "node_modules");
  expect(await isInGit(here, env)).toBe(true);
});

describe.runIf(findCompiler(env) !== undefined)("the compiled client in the script's place", () => {
  async function placed() {
    const here = project();
    const made = await compileClient({ ...here, home: here.source(), env });
    if ("why" in made) throw new Error(made.why);
    writeFileSync(join(here.packageRoot, "client/in-process.bash"), 'echo "in process: $0"\n');
    await putInPlace(made.program, here.packageRoot);
    return here;
  }
  const called = (client: string, more: object = {}) =>
    spawnSync(client, ["/none/hooks.mjs", "--on-failure", "block"], { env: { HOME: "/none", ...more }, input: "{}" });

  test("a program of another system in its place is told; --fix puts the right one there, or the script where there is no compiler", async () => {
    const here = await placed();
    await install(here.call());
    const installer = {
      packageRoot: here.packageRoot,
      version: "0.1.0",
      node: process.execPath,
      home: here.source(),
      now: () => new Date(),
    };
    const bash = join(here.folder, "bin");
    mkdirSync(bash);
    symlinkSync("/bin/bash", join(bash, "bash"));
    const at = (PATH = env.PATH) => ({ cwd: here.root, home: here.home, env: { PATH } });
    const codes = async () => (await installFindings(at(), installer)).map(({ code }) => code);
    expect(await codes()).toEqual([]);
    writeFileSync(here.client, "\xcf\xfa\xed\xfe", "latin1");
    expect(await codes()).toEqual(["client-stale"]);
    expect(await repair(at(), installer)).toMatchObject([
      { done: true, message: `${here.client} is the compiled client of its package again.`, wrote: {} },
    ]);
    expect(await codes()).toEqual([]);
    writeFileSync(here.client, "\xcf\xfa\xed\xfe", "latin1");
    rmSync(join(here.state, "client"), { recursive: true });
    expect(await repair(at(bash), installer)).toMatchObject([
      { done: true, message: `${here.client} is the script again: there is no C compiler (cc) in PATH.` },
    ]);
    expect([formAt(here.client), await codes()]).toEqual(["script", ["client-script"]]);
  });

  test("it finds its package beside itself, wherever the project was moved to", async () => {
    const here = await placed();
    const moved = join(here.folder, "moved to");
    renameSync(here.root, moved);
    const client = join(moved, "node_modules/hookline/client/hookline-client");
    expect(called(client).stdout.toString()).toBe(`in process: ${join(client, "../in-process.bash")}\n`);
  });

  test("HOOKLINE_CLIENT=script, and a package of another version, are the script's; without one it goes on itself", async () => {
    const { client } = await placed();
    const script = keptScript(client);
    const text = readFileSync(script, "utf8");
    writeFileSync(script, `#!/bin/bash\n${/^version=.*$/m.exec(text)?.[0]}\necho "script $2"\n`);
    expect(called(client, { HOOKLINE_CLIENT: "script" }).stdout.toString()).toBe("script --on-failure\n");
    expect(called(client).stdout.toString()).toContain("in process");
    writeFileSync(script, '#!/bin/bash\nversion=9.9.9\necho "newer $2"\n');
    expect(called(client).stdout.toString()).toBe("newer --on-failure\n");
    rmSync(script);
    expect(called(client, { HOOKLINE_CLIENT: "script" }).stdout.toString()).toContain("in process");
  });
});
