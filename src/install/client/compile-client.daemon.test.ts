import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { installReport } from "../drift/install-findings.ts";
import { repairInstall } from "../drift/repair-install.ts";
import { statusOf } from "../drift/scope-status.ts";
import { writeEntries } from "../edit/install-entries.ts";
import { type World, world } from "../fixtures/world.ts";
import type { Installer } from "../install-app.ts";
import { compileClient, findCompiler } from "./compile-client.ts";
import { linkClient, noteDigest, programBehindScript, shippedClient } from "./compiled-client.ts";

const env = { PATH: process.env["PATH"] ?? "" };

/** The client as shipped, in a place whose name has everything that could mean something to C or a shell. */
function shipped({ folder }: World): string {
  const packageRoot = join(folder, 'node modules/"hook\\line" % 7ü');
  cpSync(resolve("client"), join(packageRoot, "client"), { recursive: true });
  writeFileSync(join(packageRoot, "package.json"), '{"name": "hookline", "version": "0.1.0"}');
  return packageRoot;
}

function compilerIn(folder: string, text: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "cc"), `#!/bin/sh\n${text}\n`);
  chmodSync(join(folder, "cc"), 0o755);
  return folder;
}

test("without a compiler, with one that fails, and on request, the script is used and nothing is left behind", async () => {
  const here = world();
  const place = { packageRoot: shipped(here), home: here.source() };
  const of = (more: object) => compileClient({ ...place, env: { ...env, ...more } });
  expect(await of({ PATH: here.folder })).toEqual({ why: "there is no C compiler (cc) in PATH" });
  expect(await of({ HOOKLINE_CLIENT: "script" })).toEqual({ why: "HOOKLINE_CLIENT is script" });
  const broken = compilerIn(join(here.folder, "bin"), "echo 'x.h: error: none' >&2; exit 1");
  expect(await of({ PATH: broken })).toEqual({ why: "cc: x.h: error: none" });
  const odd = compilerIn(join(here.folder, "odd"), `for last; do :; done; printf '#!/bin/sh\\nexit 0\\n' >"$last"`);
  expect(await of({ PATH: `${odd}:/bin` })).toMatchObject({ why: expect.stringContaining("it does not start") });
  const [folder = ""] = readdirSync(join(here.state, "client"));
  expect(readdirSync(join(here.state, "client", folder))).toEqual([]);
  expect(findCompiler({ PATH: compilerIn(join(here.project, "node_modules/.bin"), "exit 0") })).toBeUndefined();
});

const installerOf = (here: World, packageRoot: string): Installer => ({
  packageRoot,
  version: "0.1.0",
  node: process.execPath,
  home: here.source(),
  now: () => new Date(),
});

test("doctor reports a script that starts the compiled client as compiled, and notes one that does the work itself", async () => {
  const here = world();
  const packageRoot = join(here.project, "node_modules/hookline");
  cpSync(resolve("client"), join(packageRoot, "client"), { recursive: true });
  await writeEntries(here.call());
  const bin = join(here.folder, "bin");
  mkdirSync(bin);
  for (const name of ["bash", "cc"]) writeFileSync(join(bin, name), "");
  const target = { cwd: here.project, home: here.home, env: { PATH: bin } };
  const installer = installerOf(here, packageRoot);
  const path = join(packageRoot, "client/hookline-client");
  const report = async () => {
    const { clients, findings } = await installReport(target, installer);
    return [clients, findings.map(({ code, message }) => `${code}: ${message}`)];
  };
  expect(await report()).toEqual([
    [{ scope: "project", form: "script", program: expect.stringMatching(/^(?:perl|none)$/), path, stale: false }],
    ["client-script: The entries call a script. hookline install lets them call a compiled client."],
  ]);
  const program = join(here.folder, "program");
  writeFileSync(program, "\x7fELF", { mode: 0o700 });
  await noteDigest(program);
  await linkClient(program, { packageRoot, home: here.source() });
  expect(await report()).toEqual([
    [{ scope: "project", form: "compiled", program: "compiled", behindScript: true, path, stale: false }],
    [],
  ]);
  writeFileSync(program, "");
  expect((await report())[1]).toContain(
    `client-damaged: ${program} is not as it was compiled. hookline doctor --fix compiles it again.`,
  );
});

describe.runIf(findCompiler(env) !== undefined)("where there is a compiler", () => {
  test("the program belongs to this user only, is made once, is found by the script, and is another one for another source", async () => {
    const here = world();
    const place = { packageRoot: shipped(here), home: here.source() };
    expect(programBehindScript(place)).toBeUndefined();
    const made = await compileClient({ ...place, env });
    if ("why" in made) throw new Error(made.why);
    const { program } = made;
    expect([statSync(program).mode & 0o777, statSync(dirname(program)).mode & 0o777]).toEqual([0o700, 0o700]);
    expect(readdirSync(dirname(program)).sort()).toEqual(["hookline-client", "package", "sha256"]);
    expect(programBehindScript(place)).toBe(program);
    const before = statSync(program).mtimeMs;
    expect(await compileClient({ ...place, env: {} })).toEqual({ program });
    expect(statSync(program).mtimeMs).toBe(before);
    chmodSync(program, 0o722);
    expect(programBehindScript(place)).toBeUndefined();
    writeFileSync(join(place.packageRoot, "client/bytes.h"), "// other");
    expect(await compileClient({ ...place, env, dryRun: true })).not.toEqual({ program });
  });

  test("a compiler that cannot link statically links with shared libraries, and the program does the same", async () => {
    const here = world();
    const packageRoot = shipped(here);
    writeFileSync(join(packageRoot, "client/in-process.bash"), 'printf "%s\n" "$1" "${@:4}" "$(cat <&4)"; exit 0\n');
    const payload = JSON.stringify({ text: "é".repeat(1_000_000) });
    const seen: string[] = [];
    for (const refused of ["", "-static"]) {
      const words = `for word; do [ "$word" = "${refused}" ] && exit 1; done; exec ${findCompiler(env)} "$@"`;
      const PATH = `${compilerIn(join(here.folder, "cc", refused), words)}:${env.PATH}`;
      const state = join(here.folder, "state of", refused);
      const made = await compileClient({ packageRoot, home: { env: { HOOKLINE_HOME: state } }, env: { PATH } });
      if ("why" in made) throw new Error(made.why);
      // A daemon that is down, so that the client reads all of the payload before it finds out.
      const at = join(state, "daemon/at");
      mkdirSync(at, { recursive: true });
      const record = `hookline/1 ${process.pid} 1 9 key token secret 0.1.0 - 0\nnode\n\n/none\n`;
      writeFileSync(join(at, "%2Fnone%2Fh%25.mjs"), record, { mode: 0o600 });
      const { status, stdout } = spawnSync(made.program, ["/none/h%.mjs", "--on-failure", "block"], {
        env: { HOOKLINE_HOME: state },
        input: payload,
        encoding: "utf8",
        maxBuffer: 2 ** 26,
      });
      expect([status, stdout === `none 0\n/none/h%.mjs\n--on-failure\nblock\n${payload}\n`]).toEqual([0, true]);
      seen.push(String(statSync(made.program).size));
    }
    // One program for each way of linking.
    if (process.platform === "linux") expect(seen[0]).not.toBe(seen[1]);
  });

  test("HOOKLINE_CLIENT=script is handled by the script, and so is a package of another version", async () => {
    const here = world();
    const packageRoot = shipped(here);
    const made = await compileClient({ packageRoot, home: here.source(), env });
    if ("why" in made) throw new Error(made.why);
    const script = shippedClient(packageRoot);
    writeFileSync(join(packageRoot, "client/in-process.bash"), 'echo "by the program"\n');
    writeFileSync(join(packageRoot, "client/hookline-client.pl"), 'print "by Perl\n";');
    const called = (client: string, more: object = {}) =>
      spawnSync(client, ["/none/hooks.mjs"], { env: { HOOKLINE_HOME: here.state, ...more }, encoding: "utf8" }).stdout;
    expect(called(script)).toBe("by the program\n");
    expect(called(script, { HOOKLINE_CLIENT: "script" })).toBe("by Perl\n");
    writeFileSync(script, '#!/bin/bash\nversion=9.9.9\necho "newer $1"\n');
    expect(called(made.program)).toBe("newer /none/hooks.mjs\n");
    rmSync(script);
    expect(called(made.program)).toContain("no longer exists. Install hookline again");
  });

  test("a missing or damaged program is reported and compiled again; one of a removed package is reported, and --fix names another", async () => {
    const here = world();
    const packageRoot = shipped(here);
    const installer = installerOf(here, packageRoot);
    const target = { cwd: here.project, home: here.home, env };
    const made = await compileClient({ packageRoot, home: here.source(), env });
    if ("why" in made) throw new Error(made.why);
    const call = here.call({ scope: "local" });
    const old = call.lock.command[0] ?? "";
    const compiled = JSON.parse(JSON.stringify(call).replaceAll(old, made.program)) as typeof call;
    await writeEntries({ ...compiled, now: call.now, home: call.home });
    const seen = async () => (await statusOf(target, installer, ["local"], "nothing"))[0]?.client;
    expect(await seen()).toEqual({ form: "compiled", program: "compiled", path: made.program, stale: false });

    rmSync(dirname(made.program), { recursive: true });
    expect(await seen()).toBeUndefined();
    expect(await repairInstall(target, installer)).toEqual([
      { done: true, message: expect.stringContaining("Compiled the client") },
    ]);
    expect(await seen()).toMatchObject({ form: "compiled", stale: false });

    for (const text of ["", "#!/bin/sh\nexit 0\n"]) {
      writeFileSync(made.program, text);
      expect((await statusOf(target, installer, ["local"], "nothing"))[0]?.drift).toMatchObject([
        { kind: "client-damaged" },
      ]);
      expect(await repairInstall(target, installer)).toMatchObject([{ done: true }]);
      expect((await installReport(target, installer)).findings).toEqual([]);
    }

    const source = join(packageRoot, "client/bytes.h");
    writeFileSync(source, `${readFileSync(source, "utf8")}\n/* newer */\n`);
    expect((await installReport(target, installer)).findings.map(({ code }) => code)).toEqual(["client-stale"]);
    expect(await repairInstall(target, installer)).toMatchObject([{ done: true }]);
    expect((await installReport(target, installer)).findings).toEqual([]);
    expect((await seen())?.path).not.toBe(made.program);
  });
});
