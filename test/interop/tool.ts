import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";

/** Does what the client's tool of that name would do to the project, for the tools that cases use. */
export function performTool(name: string, input: Readonly<Record<string, unknown>>, project: string): string {
  if (name === "Bash") {
    const { stdout } = spawnSync("/bin/sh", ["-c", String(input["command"])], { cwd: project, encoding: "utf8" });
    return stdout;
  }
  if (name === "Write") writeFileSync(resolve(project, String(input["file_path"])), String(input["content"]));
  return "";
}
