// Denies writes to listed files and folders, by tool or by command, whatever link, spelling or detour leads there.
// app.include(protectPaths({ paths: [".env", "migrations", "**/*.pem"] }));
import { basename, resolve } from "node:path";
import { ask, type Blueprint, blueprint, deny } from "hookline/sdk";

export interface ProtectPathsOptions {
  /** Files, folders with all they hold, or patterns; counted from the project. */
  readonly paths?: readonly string[];
}

export function protectPaths({ paths = [".env", ".git", "**/*.pem"] }: ProtectPathsOptions = {}): Blueprint {
  const part = blueprint("protect-paths");
  const options = { name: "protect-paths", recheck: true, onFailure: "block" } as const;
  const tools = ["Write", "Edit", "MultiEdit", "NotebookEdit", "Bash"] as const;
  part.preTool(tools, options, async ({ toolName, input }, { cwd, projectDir, env }) => {
    const { compileRules, judge } = await import("hookline/permissions");
    const rules = paths.flatMap((path) => ["", "/**"].map((end) => `Edit(/${resolve(projectDir, path)}${end})`));
    // A guard does not rely on how a disk tells capitals.
    const place = { cwd, home: env["HOME"] ?? "/", projectRoot: projectDir, pathCase: "insensitive" } as const;
    const judged = (allow: readonly string[]) =>
      judge({ tool: toolName, input }, compileRules([{ scope: "flags", deny: rules, allow }]), place);
    const { decision, by, reason } = judged(["Bash", "Edit(//**)"]);
    if (decision === "deny") return deny(`Protected: ${reason}.`);
    if (decision === "ask" && by !== "protected") return ask(`It may write to what is protected: ${reason}.`);
    // Programs nobody knows may write to what they are given; those that only read may not.
    const names = paths.map((path) => basename(path).toLowerCase()).filter((name) => !name.includes("*"));
    const text = "command" in input ? input.command.toLowerCase() : "";
    if (!names.some((name) => text.includes(name)) || judged([]).decision === "allow") return undefined;
    return ask("It names what is protected, and may write to it.");
  });
  return part;
}
