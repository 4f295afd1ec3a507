// Denies writes to listed files and folders, by tool or by command, whatever link, spelling or detour leads there.
// app.include(protectPaths({ paths: [".env", "migrations", "**/*.pem"] }));
import { readdirSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import type { CommandPart } from "hookline/permissions";
import { ask, type Blueprint, blueprint, deny } from "hookline/sdk";

export interface ProtectPathsOptions {
  /** Files, folders with all they hold, or patterns; relative to the project. Letter case is ignored, as on many disks. */
  readonly paths?: readonly string[];
}

const changes = /^(?:rm|rmdir|mv|chmod|chown|cp|ln|tee|touch|truncate|install|dd|sed|unlink|shred)$/;
const reads = /^(?:cat|ls|head|tail|wc|stat|echo|grep|diff)$/;
const harmless = "add blame commit diff grep log ls-files show status".split(" ").map((one) => `Bash(git ${one} *)`);

export function protectPaths(given: ProtectPathsOptions = {}): Blueprint {
  const part = blueprint("protect-paths", given, { paths: "string[]" });
  const options = { name: "protect-paths", recheck: true, onFailure: "block" } as const;
  const tools = ["Write", "Edit", "MultiEdit", "NotebookEdit", "Bash"] as const;
  return part.preTool(tools, options, async ({ toolName: tool, input }, { cwd, projectDir, env }) => {
    const { analyseShell, compileRules, judge } = await import("hookline/permissions");
    const listed = (given.paths ?? [".env", ".env.*", ".git", "**/*.pem"]).map((path) => resolve(projectDir, path));
    const denied = listed.flatMap((path) => [`Edit(/${path})`, `Edit(/${path}/**)`]);
    const rules = compileRules([{ scope: "flags", deny: denied, allow: ["Bash", "Edit(//**)"] }]);
    const place = { cwd, home: env["HOME"] ?? "/", projectRoot: projectDir, pathCase: "insensitive" } as const;
    const { decision, by, reason } = judge({ tool, input }, rules, place);
    if (decision === "deny") return deny(`${/ denies (?:\.\/)?(.+)$/s.exec(reason)?.[1] ?? "A path"} is protected.`);
    if (decision === "ask" && by !== "protected") return ask(`It may write to a protected path: ${reason}.`);
    // Read-only commands may name any path; unknown programs may write to the paths they get.
    const free = compileRules([{ scope: "flags", allow: harmless }]);
    if (!("command" in input) || judge({ tool, input }, free, place).decision === "allow") return undefined;
    const names = listed.map((path) => basename(path).toLowerCase().replace(/^.*\*/, ""));
    const named = names.some((name) => name !== "" && input.command.toLowerCase().includes(name));
    const { parts } = analyseShell(input.command, place);
    const reached = parts.flatMap((one) => (one.kind === "command" ? reach(one, listed) : []));
    const hit = (file_path: string) => judge({ tool: "Write", input: { file_path } }, rules, place).decision === "deny";
    if (!named && reached.length <= 1_000 && !reached.some(hit)) return undefined;
    return ask("This command names a protected path, or a pattern that matches one, and may write to it.");
  });
}

/** What a command may name, by variables too where it changes files. A folder that goes takes along what it holds. */
function reach({ words: [program, ...words], places }: CommandPart, listed: readonly string[]): readonly string[] {
  const name = basename(program?.pieces[0] ?? "");
  const known = words.filter(({ raw }) => (changes.test(name) || !/[$`]/.test(raw)) && !reads.test(name));
  const named = places.folders.flatMap((folder) => known.map(({ pieces }) => resolve(folder, pieces.join("*"))));
  const found = named.flatMap(standsFor);
  const gone = /^(?:rm|rmdir|chmod|chown)$/.test(name) ? found : name === "mv" ? found.slice(0, -1) : [];
  return [...found, ...listed.filter((path) => gone.some((folder) => path.startsWith(`${folder}/`)))];
}

/** The paths that a shell pattern matches, by its first part that is a pattern. */
function standsFor(path: string): readonly string[] {
  const parts = /^([^*?[]*)\/([^/*?[]*)[*?[](?:[^/]*[*?\]])?([^/]*)(.*)$/s.exec(path) ?? [];
  const [, folder = "", front = "", back = "", rest = ""] = parts;
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [path];
  const names = readdirSync(folder).filter((name) => name.startsWith(front) && name.endsWith(back));
  return names.filter((name) => front !== "" || !name.startsWith(".")).map((name) => `${folder}/${name}${rest}`);
}
