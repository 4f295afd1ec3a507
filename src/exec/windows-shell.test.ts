import { expect, test } from "vitest";
import { type CommandLine, programOf } from "./start-process.ts";

const env = { Path: "C:\\Windows;C:\\Git\\cmd", ProgramFiles: "C:\\Program Files", LOCALAPPDATA: "C:\\Me" };
const has =
  (...files: string[]) =>
  (path: string) =>
    files.includes(path);
const on = (platform: NodeJS.Platform, command: CommandLine, ...files: string[]) => {
  const { file, args } = programOf(command, env, platform, has(...files));
  return [file, ...args];
};

test("the shell of Windows is Git Bash, in its usual folder or next to git, else PowerShell", () => {
  const usual = "C:\\Program Files\\Git\\bin\\bash.exe";
  const own = "C:\\Me\\Programs\\Git\\bin\\bash.exe";
  const nextToGit = "C:\\Git\\bin\\bash.exe";
  const shellWith = (...files: string[]) => on("win32", { form: "shell", command: "echo 1" }, ...files).slice(0, 2);
  expect(shellWith(usual)).toEqual([usual, "-c"]);
  expect(shellWith(own)).toEqual([own, "-c"]);
  expect(shellWith(usual, "C:\\Git\\cmd\\git.exe", nextToGit)).toEqual([nextToGit, "-c"]);
  expect(shellWith("C:\\Windows\\bash.exe")).toEqual(["powershell.exe", "-NoProfile"]);
  expect(shellWith("C:\\Windows\\pwsh.exe")).toEqual(["C:\\Windows\\pwsh.exe", "-NoProfile"]);
});

test("shell form is /bin/sh, whatever $SHELL says", () => {
  const command: CommandLine = { form: "shell", command: "echo $0" };
  const withShell = programOf(command, { SHELL: "/bin/zsh" }, "linux");
  expect(withShell).toEqual({ file: "/bin/sh", args: ["-c", "echo $0"] });
});

test("PowerShell starts without profile and without questions", () => {
  const flags = ["-NoProfile", "-NonInteractive", "-Command", "Get-Date"];
  const command: CommandLine = { form: "powershell", command: "Get-Date" };
  expect(on("linux", command)).toEqual(["pwsh", ...flags]);
  expect(on("win32", command)).toEqual(["powershell.exe", ...flags]);
});

test("exec form is the program and its arguments as they are", () => {
  const command: CommandLine = { form: "exec", file: "tool", args: ["a b", "$HOME"] };
  expect([on("linux", command), on("win32", command)]).toEqual([
    ["tool", "a b", "$HOME"],
    ["tool", "a b", "$HOME"],
  ]);
});

test("on Windows a .sh file is run by bash where there is one", () => {
  const command: CommandLine = { form: "exec", file: "C:\\hooks\\a.sh", args: ["x"] };
  const bash = "C:\\Program Files\\Git\\bin\\bash.exe";
  expect(on("win32", command, bash)).toEqual([bash, "C:\\hooks\\a.sh", "x"]);
  expect(on("win32", command)).toEqual(["C:\\hooks\\a.sh", "x"]);
  expect(on("win32", { form: "shell", command: "echo 1" }, bash)).toEqual([bash, "-c", "echo 1"]);
});
