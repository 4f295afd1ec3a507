import { expect, test } from "vitest";
import { type CommandLine, programOf, windowsShell } from "./start-process.ts";

const env = { Path: "C:\\Windows;C:\\Git\\cmd", ProgramFiles: "C:\\Program Files", LOCALAPPDATA: "C:\\Me" };
const has =
  (...files: string[]) =>
  (path: string) =>
    files.includes(path);
const on = (platform: NodeJS.Platform, command: CommandLine, ...files: string[]) => {
  const { file, args } = programOf(command, { platform, env, exists: has(...files) });
  return [file, ...args];
};

test("the shell of Windows is Git Bash, by its usual place or by where git lies, else PowerShell", () => {
  const usual = "C:\\Program Files\\Git\\bin\\bash.exe";
  const own = "C:\\Me\\Programs\\Git\\bin\\bash.exe";
  const besideGit = "C:\\Git\\bin\\bash.exe";
  expect(windowsShell(env, has(usual))).toEqual({ kind: "bash", file: usual });
  expect(windowsShell(env, has(own))).toEqual({ kind: "bash", file: own });
  expect(windowsShell(env, has(usual, "C:\\Git\\cmd\\git.exe", besideGit))).toEqual({ kind: "bash", file: besideGit });
  expect(windowsShell(env, has("C:\\Windows\\bash.exe"))).toEqual({ kind: "powershell", file: "powershell.exe" });
  expect(windowsShell(env, has("C:\\Windows\\pwsh.exe"))).toEqual({
    kind: "powershell",
    file: "C:\\Windows\\pwsh.exe",
  });
});

test("shell form is /bin/sh, whatever $SHELL says", () => {
  const command: CommandLine = { form: "shell", command: "echo $0" };
  const withShell = programOf(command, { platform: "linux", env: { SHELL: "/bin/zsh" } });
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
