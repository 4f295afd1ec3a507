import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Does what Claude Code's tool of that name would do to the project, for the tools that cases use. */
export function performTool(name: string, input: Readonly<Record<string, unknown>>, project: string): string {
  if (name === "Bash") {
    const { stdout } = spawnSync("/bin/sh", ["-c", String(input["command"])], { cwd: project, encoding: "utf8" });
    return stdout;
  }
  if (name === "Write") {
    const file = resolve(project, String(input["file_path"]));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, String(input["content"]));
  }
  return "";
}
