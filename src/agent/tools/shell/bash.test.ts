import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLeftovers } from "../../../exec/internal.ts";
import { recorded } from "../fixtures/recorded.ts";
import { shapeOf, toolWorld } from "../fixtures/world.ts";
import { bashTool } from "./bash.ts";

test("a command's response has the recorded keys and kinds, in the recorded order", async () => {
  const { call } = toolWorld();
  for (const { tool_input, tool_response } of recorded("PostToolUse", "Bash")) {
    const result = await call(bashTool(), tool_input as Record<string, unknown>);
    const response = "response" in result ? result.response : undefined;
    expect(shapeOf(response)).toEqual(shapeOf(tool_response));
    expect(Object.keys(response as object)).toEqual(Object.keys(tool_response as object));
  }
});

test("both streams are one output, in the order of writing", async () => {
  const { call } = toolWorld();
  const result = await call(bashTool(), { command: "printf '\\n\\n one\\n'; echo two >&2; echo three; echo" });
  expect(result).toEqual({
    isError: false,
    content: " one\ntwo\nthree",
    response: {
      stdout: " one\ntwo\nthree",
      stderr: "",
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    },
  });
});

test("a failing command is an error with its code and output, as recorded", async () => {
  const { call } = toolWorld();
  const [failure] = recorded("PostToolUseFailure", "Bash");
  const failed = await call(bashTool(), failure?.["tool_input"] as Record<string, unknown>);
  expect(failed).toEqual({ isError: true, content: failure?.["error"], interrupted: false });
  expect(await call(bashTool(), { command: "echo out; echo err >&2; exit 4" })).toMatchObject({
    content: "Exit code 4\nout\nerr",
  });
  expect(await call(bashTool(), { command: "kill -9 $$" })).toMatchObject({ content: "Exit code 137" });
});

test("a program named like a member of every object fails like any other", async () => {
  const { call, write, project, context } = toolWorld();
  chmodSync(write("constructor", "#!/bin/sh\nexit 1\n"), 0o755);
  const env = { ...context.env, PATH: `${project}:${context.env["PATH"]}` };
  expect(await call(bashTool(), { command: "constructor" }, { env })).toMatchObject({ isError: true });
});

test("exit codes that are an answer are not failures", async () => {
  const { call } = toolWorld();
  const result = await call(bashTool(), { command: "echo a | grep zzz" });
  expect(result).toMatchObject({
    isError: false,
    content: "(Bash completed with no output)",
    response: { returnCodeInterpretation: "No matches found" },
  });
});

test("noOutputExpected is true for commands that only create, move or change state", async () => {
  const { call } = toolWorld();
  const expected = async (command: string) => {
    const result = await call(bashTool(), { command });
    return "response" in result && (result.response as { noOutputExpected: boolean }).noOutputExpected;
  };
  expect(await expected("mkdir a && touch a/b; mv a c")).toBe(true);
  expect(await expected("export A=1; unset A; cd .; wait")).toBe(true);
  expect(await expected("touch x; echo")).toBe(false);
  expect(await expected("touch y | cat")).toBe(false);
});

test("the session follows the folder of a command that succeeds, by its real path, and stays after a failing one", async () => {
  const { call, project, notes, context } = toolWorld();
  mkdirSync(join(project, "real"));
  await call(bashTool(), { command: "ln -s real link && cd link" });
  expect(context.cwd()).toBe(join(project, "real"));
  await call(bashTool(), { command: "cd ..; false" });
  expect(context.cwd()).toBe(join(project, "real"));
  expect(notes).toEqual([`moved ${join(project, "real")}`]);
});

test("outside its folders the session does not stay, and the model gets a note", async () => {
  const { call, project, notes } = toolWorld();
  const result = await call(bashTool(), { command: "cd / && pwd" });
  expect(result).toMatchObject({
    content: `/\nShell cwd was reset to ${project}`,
    response: { stdout: "/", stderr: `\nShell cwd was reset to ${project}` },
  });
  expect(notes).toEqual([`moved /, stays at ${project}`]);
});

test("a session that began at a link stays where it is, and moves below it", async () => {
  const { call, project, root, notes } = toolWorld();
  symlinkSync(project, join(root, "link"));
  const over = { cwd: () => join(root, "link"), projectRoot: join(root, "link") };
  await call(bashTool(), { command: "true" }, over);
  expect(notes).toEqual([]);
  await call(bashTool(), { command: "mkdir sub && cd sub" }, over);
  expect(notes).toEqual([`moved ${join(project, "sub")}`]);
});

test("a command that forges our control lines does not move the session", async () => {
  const { call, notes } = toolWorld();
  await call(bashTool(), { command: "echo 'pwd /etc'; echo 'pwd /etc' >&9; echo go >/proc/$$/fd/9; true" });
  expect(notes).toEqual([]);
});

test("a removed folder is not followed", async () => {
  const { call, notes } = toolWorld();
  await call(bashTool(), { command: "mkdir gone && cd gone && rmdir ../gone" });
  expect(notes).toEqual([]);
});

test("a session whose folder was removed goes back to the project", async () => {
  const { call, project, notes } = toolWorld();
  await call(bashTool(), { command: "mkdir sub && cd sub" });
  rmSync(join(project, "sub"), { recursive: true });
  expect(await call(bashTool(), { command: "pwd" })).toMatchObject({ content: project });
  expect(notes).toEqual([`moved ${join(project, "sub")}`, `moved ${project}`]);
});

test("bash reads no startup file", async () => {
  const { call, home, root, context } = toolWorld();
  for (const name of [".bashrc", ".bash_profile", ".profile"]) writeFileSync(join(home, name), "echo STARTUP");
  writeFileSync(join(root, "env"), "echo STARTUP");
  const env = { ...context.env, BASH_ENV: join(root, "env"), ENV: join(root, "env") };
  expect(await call(bashTool(), { command: "echo clean" }, { env })).toMatchObject({ content: "clean" });
});

test("a command over the length of one argument runs", async () => {
  const { call } = toolWorld();
  const result = await call(bashTool(), { command: `: ${"x".repeat(200_000)}\necho ran` });
  expect(result).toMatchObject({ content: "ran" });
});

test("env files are read before every command, in order of writing", async () => {
  const { call, root } = toolWorld();
  const folder = join(root, "session-env");
  writeFileSync(join(folder, "sessionstart-hook-1.sh"), "export A=late\n");
  utimesSync(join(folder, "sessionstart-hook-1.sh"), 1_000, 1_000);
  writeFileSync(join(folder, "cwdchanged-hook-0.sh"), "export A=later B=$A\n");
  expect(await call(bashTool(), { command: "echo $A $B" })).toMatchObject({ content: "later late" });
});

test("an env file that bash cannot read, or that ends the shell, is reported once and left out", async () => {
  const { call, root, notes } = toolWorld();
  const folder = join(root, "session-env");
  const broken = join(folder, "setup-hook-0.sh");
  const ending = join(folder, "setup-hook-1.sh");
  writeFileSync(broken, "export A=(\n");
  writeFileSync(ending, "exit 0\n");
  writeFileSync(join(folder, "setup-hook-2.sh"), "export B=good\n");
  const tool = bashTool();
  expect(await call(tool, { command: "echo [$A] $B" })).toMatchObject({ content: "[] good" });
  expect(await call(tool, { command: "echo [$A] $B" })).toMatchObject({ content: "[] good" });
  expect(notes).toEqual([
    expect.stringContaining(`The env file ${broken} is skipped: `),
    `The env file ${ending} is skipped: it ends the shell.`,
  ]);
  writeFileSync(broken, "export A=fixed\n");
  expect(await call(tool, { command: "echo [$A] $B" })).toMatchObject({ content: "[fixed] good" });
});

test("an output over 30,000 characters is kept whole next to the transcript and shown in part", async () => {
  const { call, context } = toolWorld();
  const result = await call(bashTool(), { command: "seq 1 40000" });
  if (result.isError) throw new Error(result.content);
  const response = result.response as { stdout: string; persistedOutputPath: string; persistedOutputSize: number };
  const path = response.persistedOutputPath;
  expect(path.startsWith(`${context.paths.toolResults}/`)).toBe(true);
  expect(response.stdout.length).toBe(30_000);
  expect(response.persistedOutputSize).toBe(228_894);
  expect(readFileSync(path, "utf8").split("\n").length).toBe(40_001);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = result.content as string;
  expect(
    text.startsWith(
      `<persisted-output>\nOutput too large (223.5KB). Full output saved to: ${path}\n\nPreview (first 2KB):\n1\n2\n`,
    ),
  ).toBe(true);
  expect(text.endsWith("\n526\n527\n...\n</persisted-output>")).toBe(true);
});

test("a long failure loses its middle", async () => {
  const { call } = toolWorld();
  const { content } = await call(bashTool(), { command: "seq 1 40000; exit 5" });
  expect(content).toContain("\n\n... [20012 characters truncated] ...\n\n");
});

test("an interrupt ends the command and is reported as one", async () => {
  const { call, context, project } = toolWorld();
  const abort = new AbortController();
  const command = "echo so far; touch started; sleep 63";
  const running = call(bashTool(), { command }, { signal: abort.signal });
  await expect.poll(() => existsSync(join(project, "started"))).toBe(true);
  abort.abort();
  const result = await running;
  expect(result).toEqual({
    isError: true,
    content: "Command was aborted before completion\nso far",
    interrupted: true,
  });
  expect(await findLeftovers("HOOKLINE_RUN", context.shells.tag)).toEqual([]);
});

test("a process that a command leaves running does not block the call, keeps its output, and ends with the session", async () => {
  const { call, context, project } = toolWorld();
  const command = "(until [ -e go ]; do sleep 0.02; done; echo late > late.txt; sleep 64) & echo started";
  expect(await call(bashTool(), { command })).toMatchObject({ content: "started" });
  writeFileSync(join(project, "go"), "");
  await expect.poll(() => existsSync(join(project, "late.txt"))).toBe(true);
  expect((await findLeftovers("HOOKLINE_RUN", context.shells.tag)).length).toBeGreaterThan(0);
  await context.shells.endAll();
  await expect.poll(() => findLeftovers("HOOKLINE_RUN", context.shells.tag)).toEqual([]);
});

test("a background command keeps running and its output can be read meanwhile", async () => {
  const { call, context, project } = toolWorld();
  const command = "echo one; until [ -e go ]; do sleep 0.02; done; echo two; exit 3";
  const result = await call(bashTool(), { command, run_in_background: true });
  const [shell] = context.shells.list();
  expect(result).toMatchObject({
    isError: false,
    content: `Command running in background with ID: ${shell?.id}. Output is being written to: ${shell?.outputPath}. You will be notified when it completes. To check interim output, use Read on that file path.`,
    response: { backgroundTaskId: shell?.id },
  });
  await expect.poll(() => readFileSync(shell?.outputPath ?? "", "utf8")).toBe("one\n");
  expect(shell?.status()).toBe("running");
  writeFileSync(join(project, "go"), "");
  await shell?.done;
  expect([shell?.status(), shell?.exitCode(), readFileSync(shell?.outputPath ?? "", "utf8")]).toEqual([
    "failed",
    3,
    "one\ntwo\n",
  ]);
});

test("the end of the session ends background commands", async () => {
  const { call, context } = toolWorld();
  await call(bashTool(), { command: "sleep 65", run_in_background: true });
  await context.shells.endAll();
  expect(context.shells.list().map((shell) => shell.status())).toEqual(["killed"]);
});

test("a command with hidden characters is refused before any hook", async () => {
  const { call } = toolWorld();
  for (const command of ["echo a\r", "echo \u001b[2K", "a\0b", "x\u0008"]) {
    expect(await call(bashTool(), { command })).toMatchObject({
      content: expect.stringContaining(
        "command contains control characters that would be hidden in the approval dialog",
      ),
    });
  }
});
