import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { perlPlaces, scriptName, systemLoaders } from "../../src/install/client/compiled-client.ts";

/** The launcher as shipped; what it starts says who it is and prints its arguments and a variable of the environment. */
function launcher() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-launcher-")));
  const client = join(folder, "100% package/client");
  mkdirSync(client, { recursive: true });
  cpSync("client/hookline-client", join(client, "hookline-client"));
  writeFileSync(
    join(client, "hookline-client.pl"),
    `print join("|", "perl", @ARGV[4..$#ARGV], $ENV{version}), "\\n"; exit 0;`,
  );
  writeFileSync(join(client, "in-process.bash"), `printf '%s|' process "\${@:4}"; echo "$version"; exit 0\n`);
  const state = join(folder, "state");
  mkdirSync(join(state, "client/at"), { recursive: true, mode: 0o700 });
  const compile = () => {
    const program = join(state, "client/at", scriptName(join(folder, "100% package")));
    writeFileSync(program, `#!/bin/sh\nprintf '%s|' program "$@"; echo "$version"\n`);
    chmodSync(program, 0o755);
  };
  const call = (
    env: object,
    shell?: string,
    words: readonly string[] = ["a b", "--on-failure=block"],
    cwd?: string,
  ) => {
    const [command = "", ...args] = [
      ...(shell === undefined ? [] : [shell]),
      join(client, "hookline-client"),
      ...words,
    ];
    const all = { HOME: folder, HOOKLINE_HOME: state, ...env };
    return spawnSync(command, args, { env: all, cwd: cwd ?? process.cwd(), encoding: "utf8" });
  };
  return { call, compile, folder, client, state };
}

const hasPerl = existsSync("/usr/bin/perl");

test("the launcher starts the compiled program with all arguments, and no variable of the environment changes", () => {
  const { call, compile } = launcher();
  compile();
  expect(call({ version: "theirs" }).stdout).toBe("program|a b|--on-failure=block|theirs\n");
  expect(call({}).stdout).toContain("program|a b|--on-failure=block|");
});

test.runIf(hasPerl)("without a compiled program the launcher starts the client in Perl", () => {
  const { call } = launcher();
  expect(call({}).stdout).toContain(`perl||${process.cwd()}/a b|block|a b|--on-failure=block|`);
  expect(call({ LC_ALL: "de_DE" }).stdout).toContain("perl|=de_DE|");
});

test.runIf(hasPerl)("the Perl client compiles under strict and loads no module", () => {
  for (const name of ["hookline-client.pl", "without-daemon.pl"]) {
    const { status, stderr } = spawnSync("/usr/bin/perl", ["-Mstrict", "-c", `client/${name}`], { encoding: "utf8" });
    expect([name, status, stderr]).toEqual([name, 0, `client/${name} syntax OK\n`]);
    expect(readFileSync(`client/${name}`, "utf8")).not.toMatch(/^\s*use /m);
  }
});

test("wrong arguments are left to the process that reports them", () => {
  const { call } = launcher();
  for (const words of [[], ["a", "b"], ["a", "--odd"], ["--event", "Stop"]])
    expect([words, call({}, undefined, words).stdout.split("|")[0]]).toEqual([words, "process"]);
});

test("code that the environment names for Perl is not loaded: the app runs in a process", () => {
  const { call } = launcher();
  expect(call({ PERL5OPT: "-Mevil" }).stdout).toContain("process|a b|--on-failure=block|");
});

test("where /bin/sh is bash, SHELLOPTS=noexec denies instead of disabling the client, and functions of the environment are not used", () => {
  const { call, compile } = launcher();
  compile();
  const bash = "/bin/bash";
  expect(call({ SHELLOPTS: "noexec" }, bash)).toMatchObject({
    status: 2,
    stdout: "",
    stderr: expect.stringContaining("Unset SHELLOPTS"),
  });
  expect(call({ "BASH_FUNC_[%%": "() { exit 0; }", POSIXLY_CORRECT: "1" }, bash).stdout).toContain("program|a b");
});

test("where /bin/sh is bash, options of SHELLOPTS neither end the launcher nor write to its output", () => {
  const { call, compile } = launcher();
  compile();
  for (const env of [{ SHELLOPTS: "xtrace", BASH_XTRACEFD: "1" }, { SHELLOPTS: "errexit:nounset" }])
    expect([env, call(env, "/bin/bash").stdout]).toEqual([env, "program|a b|--on-failure=block|\n"]);
});

test("a compiled program that is empty is not started", () => {
  const { call, folder, state } = launcher();
  const program = join(state, "client/at", scriptName(join(folder, "100% package")));
  writeFileSync(program, "", { mode: 0o755 });
  expect(call({}).stdout.split("|")[0]).toBe(hasPerl ? "perl" : "process");
});

test.runIf(hasPerl)("where /bin/sh is bash, SHELLOPTS=keyword does not list the variables of the caller", () => {
  const { call } = launcher();
  expect(call({ SHELLOPTS: "keyword" }, "/bin/bash").stdout).toMatch(/^perl\|/);
});

test("a package that is incomplete denies under block, whichever file is missing, empty or cut off", () => {
  const event = { env: { HOOKLINE: "0" }, words: ["a", "--on-failure", "block"] };
  for (const name of ["hookline-client", "hookline-client.pl", "without-daemon.pl", "in-process.bash"]) {
    for (const keep of [undefined, 0, 0.3, 0.9]) {
      if (name === "hookline-client" && !keep) continue; // Nothing is left that could run.
      const { client, call } = launcher();
      for (const file of ["hookline-client.pl", "without-daemon.pl", "in-process.bash"])
        cpSync(join("client", file), join(client, file));
      const whole = readFileSync(join("client", name));
      if (keep === undefined) rmSync(join(client, name));
      else writeFileSync(join(client, name), whole.subarray(0, whole.length * keep));
      const { status, stderr } = call(event.env, undefined, event.words);
      expect([name, keep, status, stderr !== ""]).toEqual([name, keep, 2, true]);
    }
  }
});

test("where the environment leaves no room for the arguments of the client, the launcher denies under block", () => {
  const { call } = launcher();
  const large = Object.fromEntries(Array.from({ length: 15 }, (_, at) => [`LARGE_${at}`, "x".repeat(120_000)]));
  const started = (size: number) =>
    call({ ...large, ...Object.fromEntries([0, 1, 2].map((at) => [`MORE_${at}`, "x".repeat(size / 3)])) });
  let [fits, most] = [0, 390_000];
  while (most - fits > 3) {
    const middle = Math.floor((fits + most) / 2);
    if (started(middle).error === undefined) fits = middle;
    else most = middle;
  }
  const ends = Array.from({ length: 20 }, (_, at) => started(fits - at * 30));
  expect(ends.filter(({ status, stdout }) => status !== 2 && !/^p(?:erl|rocess)/.test(stdout))).toEqual([]);
  expect(ends.some(({ status }) => status === 2)).toBe(true);
});

test("a state directory in a checkout or behind /proc is not used, whatever path leads to it", () => {
  const { call, compile, folder, state } = launcher();
  compile();
  const checkout = join(folder, "checkout");
  mkdirSync(join(checkout, ".git"), { recursive: true });
  mkdirSync(join(checkout, "below"));
  mkdirSync(join(folder, "plain"));
  cpSync(state, join(checkout, "state"), { recursive: true });
  cpSync(state, join(folder, "plain/state"), { recursive: true });
  symlinkSync(checkout, join(folder, "link"));
  const started = (HOOKLINE_HOME: string, cwd: string, more: object = {}) =>
    call({ HOOKLINE_HOME, HOME: "/nowhere", ...more }, undefined, undefined, cwd).stdout.split("|")[0];
  const places: [string, string, object?][] = [
    [join(checkout, "state"), join(checkout, "below")],
    [join(folder, "link/state"), join(checkout, "below")],
    [join(folder, "plain/../link/state/"), folder],
    [join(folder, "plain/state"), join(folder, "plain")],
    ["/proc/self/cwd/state", join(folder, "plain")],
    ["//proc/self/cwd/../plain/state", join(folder, "plain")],
    ["/./proc/self/cwd/../plain/state", join(folder, "plain")],
    [`/proc/self/cwd/plain/state`, folder],
    ["", join(folder, "plain"), { HOME: "/proc/self/cwd" }],
  ];
  for (const place of places) expect([place, started(...place)]).toEqual([place, "process"]);
  // The home directory may be a repository, and the state directory may be in it.
  expect(started(join(checkout, "state"), folder, { HOME: checkout })).toBe("program");
  expect(started(join(folder, "plain/state"), folder, { HOME: join(folder, "plain") })).toBe("program");
});

test("a state directory behind a link is left to the client that sees who made the link", () => {
  const { call, compile, folder, state } = launcher();
  compile();
  symlinkSync(state, join(folder, "link"));
  for (const path of ["link", "link/", "link/.", "link//"])
    expect([path, call({ HOOKLINE_HOME: join(folder, path) }).stdout.split("|")[0]]).toEqual([
      path,
      hasPerl ? "perl" : "process",
    ]);
});

test("a launcher that is called without its path denies under block", () => {
  const { client } = launcher();
  const { status, stderr } = spawnSync("/bin/sh", ["hookline-client", "a", "--on-failure", "block"], {
    cwd: client,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([2, "hookline: hookline-client must be called by its path. (hookline-client)\n"]);
});

test("the app that runs in a separate process gets the variables of the caller, and FUNCNEST does not end its start", () => {
  const { call, client, folder } = launcher();
  cpSync("client/in-process.bash", join(client, "in-process.bash"));
  mkdirSync(join(folder, "100% package/dist/cli"), { recursive: true });
  const names = ["mode", "file", "node", "why", "event", "here", "program", "word", "code"];
  writeFileSync(
    join(folder, "100% package/dist/cli/bin.cjs"),
    `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name])))`,
  );
  const given = Object.fromEntries(names.map((name) => [name, `own ${name}`]));
  const { status, stdout } = call({ ...given, FUNCNEST: "1", PERL5OPT: "-w", PATH: process.env["PATH"] });
  expect([status, JSON.parse(stdout)]).toEqual([0, Object.values(given)]);
});

test("an app that runs in a separate process and cannot write its answer denies under block, also where the host closed the output", () => {
  const { client, folder, state } = launcher();
  cpSync("client/in-process.bash", join(client, "in-process.bash"));
  mkdirSync(join(folder, "100% package/dist/cli"), { recursive: true });
  writeFileSync(join(folder, "100% package/dist/cli/bin.cjs"), `require("node:fs").writeSync(1, "a denial")`);
  const env = { HOME: folder, HOOKLINE_HOME: state, PERL5OPT: "-w", PATH: process.env["PATH"] };
  const call = (output: string) => {
    const words = ["-c", `exec "$0" a --on-failure block ${output}`, join(client, "hookline-client")];
    return spawnSync("/bin/sh", words, { env, encoding: "utf8" }).status;
  };
  expect(["", ">&-", "</dev/null >&-"].map(call)).toEqual([0, 2, 2]);
});

test("without Node in PATH the client says what to do, in one line", () => {
  const { call, client, folder } = launcher();
  cpSync("client/in-process.bash", join(client, "in-process.bash"));
  mkdirSync(join(folder, "100% package/dist/cli"), { recursive: true });
  writeFileSync(join(folder, "100% package/dist/cli/bin.cjs"), "");
  const { status, stderr } = call({ PATH: "/nonexistent", PERL5OPT: "-w" }, undefined, ["/a", "--on-failure", "block"]);
  const message =
    "There is no Node in PATH, so /a was not run. Put node in PATH, or let the entries name it: hookline install --scope local --transport run";
  expect([status, stderr]).toEqual([2, `hookline: ${message}\n`]);
});

test("install and doctor look for Perl where the launcher does", () => {
  const [, named = ""] = /for hookline_perl in (.*); do/.exec(readFileSync("client/hookline-client", "utf8")) ?? [];
  expect(named.split(" ")).toEqual(perlPlaces);
});

test("the launcher and install recognize a system by the same loaders", () => {
  const [, named = ""] =
    /for hookline_loader in (.*) none; do/.exec(readFileSync("client/hookline-client", "utf8")) ?? [];
  expect(named.split(" ")).toEqual(systemLoaders);
});
