import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CommandLine, runProcess, startProcess } from "./internal.ts";

const folder = mkdtempSync(join(tmpdir(), "exec-"));
const base = { cwd: folder, env: { ...process.env }, timeoutMs: 20_000 };
const exec = (file: string, ...args: string[]): CommandLine => ({ form: "exec", file, args });

function file(name: string, text: string, mode = 0o755): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test.each([
  ["a missing program", exec("no-such-program"), {}, "ENOENT", "no-such-program was not found"],
  ["a missing path", exec("/no/such/program"), {}, "ENOENT", "/no/such/program was not found"],
  [
    "a missing interpreter",
    exec(file("shebang", "#!/no/such/interpreter\n")),
    {},
    "ENOENT",
    `The interpreter that ${join(folder, "shebang")} names was not found`,
  ],
  [
    "a file that is not executable",
    exec(file("plain", "#!/bin/sh\n", 0o644)),
    {},
    "EACCES",
    `${join(folder, "plain")} may not be executed`,
  ],
  ["a folder", exec(folder), {}, "EACCES", `${folder} may not be executed`],
  [
    "a missing working folder",
    exec("true"),
    { cwd: "/no/such" },
    "ENOENT",
    "The working directory /no/such does not exist",
  ],
  [
    "a working folder that is a file",
    exec("true"),
    { cwd: file("file", "") },
    "ENOTDIR",
    `The working directory ${join(folder, "file")} does not exist`,
  ],
  [
    "arguments beyond the system's limit",
    exec("true", "x".repeat(5_000_000)),
    {},
    "E2BIG",
    "The arguments and environment of true are larger than the system allows",
  ],
  [
    "a NUL in the environment, which is not quoted",
    exec("true"),
    { env: { SECRET: "a\0b" } },
    "ERR_INVALID_ARG_VALUE",
    "The command, its arguments or its environment hold a NUL character",
  ],
] as const)("%s is a value that names what is missing", async (_name, command, options, code, why) => {
  const finished = await runProcess(command, { ...base, ...options, input: "x".repeat(1_000_000) });
  expect(finished).toEqual({
    ended: { by: "not-started", why, code },
    stdout: { text: "", droppedBytes: 0 },
    stderr: { text: "", droppedBytes: 0 },
    durationMs: finished.durationMs,
    leaked: [],
  });
});

test("a text file without a first line for the system is run by sh, as execvp does", async () => {
  const { ended, stdout } = await runProcess(exec(file("bare", "echo hi\n")), base);
  expect([ended, stdout.text]).toEqual([{ by: "exit", code: 0 }, "hi\n"]);
});

test("a relative program is looked up in the working folder", async () => {
  mkdirSync(join(folder, "bin"));
  file("bin/tool", "#!/bin/sh\necho tool\n");
  expect((await runProcess(exec("./bin/tool"), base)).stdout.text).toBe("tool\n");
  expect((await runProcess(exec("./bin/other"), base)).ended).toMatchObject({ why: "./bin/other was not found" });
});

test("calls to a process that did not start have no effect, and its output is empty", async () => {
  const running = startProcess(exec("/no/such/program"), base);
  running.write("x");
  running.endInput();
  running.pauseDeadline();
  running.resumeDeadline();
  running.setDeadline(1);
  running.cancel();
  running.unref();
  expect([running.pid, running.soFar()]).toEqual([undefined, { stdout: "", stderr: "" }]);
  expect((await running.done).ended.by).toBe("not-started");
});
