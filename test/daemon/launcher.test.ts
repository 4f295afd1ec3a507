import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scriptName, systemLoaders } from "../../src/install/client/compiled-client.ts";

/** The launcher as shipped; what it starts says who it is and prints its arguments and a variable of the environment. */
function launcher() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-launcher-")));
  const client = join(folder, "100% package/client");
  mkdirSync(client, { recursive: true });
  cpSync("client/hookline-client", join(client, "hookline-client"));
  writeFileSync(join(client, "hookline-client.pl"), `print join("|", "perl", @ARGV[3..$#ARGV], $ENV{version}), "\\n";`);
  writeFileSync(join(client, "in-process.bash"), `printf '%s|' process "\${@:4}"; echo "$version"\n`);
  const state = join(folder, "state");
  mkdirSync(join(state, "client/at"), { recursive: true, mode: 0o700 });
  const compile = () => {
    const program = join(state, "client/at", scriptName(join(folder, "100% package")));
    writeFileSync(program, `#!/bin/sh\nprintf '%s|' program "$@"; echo "$version"\n`);
    chmodSync(program, 0o755);
  };
  const call = (env: object, shell?: string, words: readonly string[] = ["a b", "--on-failure=block"]) => {
    const [command = "", ...args] = [
      ...(shell === undefined ? [] : [shell]),
      join(client, "hookline-client"),
      ...words,
    ];
    return spawnSync(command, args, { env: { HOME: folder, HOOKLINE_HOME: state, ...env }, encoding: "utf8" });
  };
  return { call, compile };
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

test("the launcher and install recognize a system by the same loaders", () => {
  const [, named = ""] =
    /for hookline_loader in (.*) none; do/.exec(readFileSync("client/hookline-client", "utf8")) ?? [];
  expect(named.split(" ")).toEqual(systemLoaders);
});
