import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { clientHome } from "../../engine/settings/index.ts";
import { type Frontmatter, splitFrontmatter } from "../frontmatter.ts";
import type { AgentOptions } from "../options.ts";
import { readPromptFile } from "../prompt-file.ts";

/** A command or skill of somebody's own. */
export interface CustomCommand {
  readonly name: string;
  readonly description: string;
  readonly source: "projectSettings" | "userSettings";
  readonly skill: boolean;
  readonly body: string;
  /** Why it cannot be used as it is written; a sentence that names the file. */
  readonly fault?: string;
  /** A sentence about what its file asks for and does not get. */
  readonly unhonored?: string;
}

/** The command of that name: the project's before the person's, commands before skills. */
export async function findCommand(options: AgentOptions, name: string): Promise<CustomCommand | undefined> {
  const path = name.split(":");
  if (path.some((part) => part === "" || part.startsWith("."))) return undefined;
  for (const { folder, source, roots } of foldersOf(options)) {
    const places = [
      { file: join(folder, "commands", ...path.slice(0, -1), `${path.at(-1)}.md`), skill: false },
      // A skill is one folder below `skills`, where its hooks are read too.
      ...(path.length === 1 ? [{ file: join(folder, "skills", ...path, "SKILL.md"), skill: true }] : []),
    ];
    for (const { file, skill } of places) {
      const found = await readPromptFile(file, roots);
      if (found === undefined) continue;
      if ("fault" in found) {
        options.observe?.({ kind: "notice", text: `${file} is not used: ${found.fault}.`, level: "warning" });
        continue;
      }
      const read = await splitFrontmatter(found.text);
      const { fields, body } = read;
      return {
        name,
        description: fields["description"] ?? "",
        source,
        skill,
        body,
        ...doubts(read, { ...found, file, skill }),
      };
    }
  }
  return undefined;
}

/** Keys of the client's commands and skills that change what is done, and that this agent does not honor. */
const unused = ["allowed-tools", "disallowed-tools", "model", "effort", "context", "agent"];

/** Contract: a file whose hooks could not run is not used, and what else has no effect is named. */
function doubts(
  { keys, fault }: Frontmatter,
  { text, file, skill }: { readonly text: string; readonly file: string; readonly skill: boolean },
): Pick<CustomCommand, "fault" | "unhonored"> {
  if (fault !== undefined) {
    const sentence = `${file}:${fault.line}: ${fault.why}. Mend the file.`;
    return mentionsHooks.test(text) ? { fault: sentence } : { unhonored: sentence };
  }
  if (!skill && keys.includes("hooks")) {
    const place = `skills/${basename(file, ".md")}/SKILL.md`;
    return { fault: `${file} has hooks, which this agent runs for skills and not for commands. Make it ${place}.` };
  }
  const found = unused.filter((key) => keys.includes(key));
  return found.length === 0
    ? {}
    : { unhonored: `${file}: this agent does not honor ${found.join(", ")} of this file.` };
}

const mentionsHooks = /^[ \t]*[{"']?[ \t]*["']?hooks\b/m;

/** Names of all commands and skills, for lists. */
export async function commandNames(
  options: AgentOptions,
): Promise<{ commands: readonly string[]; skills: readonly string[] }> {
  const names = async (kind: string) => {
    const found = await Promise.all(
      foldersOf(options).map(({ folder }) => readdir(join(folder, kind)).catch(() => [])),
    );
    return [...new Set(found.flat())].sort();
  };
  const commands = (await names("commands")).filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3));
  return { commands, skills: await names("skills") };
}

/** Commands and skills with what they are for. */
export async function commandList(
  options: AgentOptions,
): Promise<readonly { readonly name: string; readonly description: string }[]> {
  const { commands, skills } = await commandNames(options);
  const found = await Promise.all([...new Set([...commands, ...skills])].map((name) => findCommand(options, name)));
  return found.flatMap((one) => (one === undefined ? [] : [{ name: one.name, description: one.description }]));
}

function foldersOf({ cwd, env, home, reads }: AgentOptions) {
  const folders = [
    { folder: join(cwd, ".claude"), source: "projectSettings", of: "project", roots: [cwd] },
    { folder: clientHome(env["CLAUDE_CONFIG_DIR"], home), source: "userSettings", of: "user", roots: "anywhere" },
  ] as const;
  return folders.filter(({ of }) => reads("skills", of));
}
