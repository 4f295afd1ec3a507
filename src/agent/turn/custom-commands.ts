import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { clientHome } from "../../engine/internal.ts";
import type { TextBlock } from "../../models/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { AgentThread } from "../session/agent-session.ts";
import { type PromptFrontmatter, readPromptFile, splitFrontmatter } from "../world/prompt-file.ts";
import { type Attachment, refusalText } from "./attachments.ts";
import { fireAndHold } from "./fire-event.ts";

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

/** Finds a command by name: the project's before the user's, commands before skills. */
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
        ...fileProblems(read, { ...found, file, skill }),
      };
    }
  }
  return undefined;
}

/** Keys of the client's commands and skills that change what is done, and that this agent does not honor. */
const unused = ["allowed-tools", "disallowed-tools", "model", "effort", "context", "agent"];

/** Contract: a file whose hooks could not run is not used, and what else has no effect is named. */
function fileProblems(
  { keys, fault }: PromptFrontmatter,
  { text, file, skill }: { readonly text: string; readonly file: string; readonly skill: boolean },
): Pick<CustomCommand, "fault" | "unhonored"> {
  if (fault !== undefined) {
    const sentence = `${file}:${fault.line}: ${fault.why}. Fix the file.`;
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

export interface ExpandedCommand {
  /** How the transcript keeps what was typed. */
  readonly line: string;
  /** What it stands for. */
  readonly content: readonly TextBlock[];
  readonly notes: readonly Attachment[];
}

/** Why a command is not expanded. */
export interface NotExpanded {
  readonly blocked: string;
  readonly notes: readonly Attachment[];
}

/** What a typed `/name args` stands for; undefined when it is nothing of the kind. Hooks are asked before anything is expanded. */
export async function expandCommand(
  thread: AgentThread,
  typed: string,
  signal: AbortSignal,
): Promise<ExpandedCommand | NotExpanded | undefined> {
  const [, name, args = ""] = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(typed.trim()) ?? [];
  if (name === undefined) return undefined;
  const command = await findCommand(thread.session.options, name);
  if (command === undefined) return undefined;
  if (command.fault !== undefined) return { blocked: `/${name} is not used: ${command.fault}`, notes: [] };
  const about = {
    expansion_type: "slash_command",
    command_name: name,
    command_args: args,
    command_source: command.source,
    prompt: typed,
  };
  const { outcome, notes } = await fireAndHold(thread, "UserPromptExpansion", about, { signal });
  if (outcome.blocked) {
    const original = outcome.output.suppressOriginalPrompt === true ? "" : `\n\nOriginal prompt: ${typed}`;
    return { blocked: `UserPromptExpansion operation blocked by hook:\n${refusalText(outcome)}${original}`, notes };
  }
  const { unhonored } = command;
  if (unhonored !== undefined) thread.session.notice(unhonored, "warning");
  if (command.skill) thread.session.engine.session(thread.session.record.id).useSkill(name);
  return {
    line: `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`,
    content: [{ type: "text", text: fillArguments(command.body, args) }],
    notes,
  };
}

function fillArguments(body: string, args: string): string {
  const words = args.split(/\s+/).filter(Boolean);
  return body
    .replace(/\$ARGUMENTS/g, () => args)
    .replace(/\$(\d)/g, (_, digit: string) => words[Number(digit) - 1] ?? "");
}
