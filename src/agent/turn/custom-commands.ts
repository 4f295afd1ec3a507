import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { mentionsHooks } from "../../engine/internal.ts";
import type { TextBlock } from "../../models/internal.ts";
import type { Outcome } from "../../protocol/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { AgentThread } from "../session/agent-session.ts";
import { type PromptFrontmatter, readPromptFile, splitFrontmatter } from "../world/prompt-file.ts";
import { type Attachment, refusalText } from "./attachments.ts";
import { fireAndHold } from "./fire-event.ts";

/** A command or skill that a file defines. */
interface CustomCommand {
  readonly name: string;
  readonly description: string;
  readonly source: "projectSettings" | "userSettings";
  readonly skill: boolean;
  readonly body: string;
  /** Why it cannot be used; a sentence that names the file. */
  readonly fault?: string;
  /** Which parts of its file have no effect; a sentence. */
  readonly unhonored?: string;
}

/** Finds a command by name: the project's before the user's, commands before skills. */
async function findCommand(options: AgentOptions, name: string): Promise<CustomCommand | undefined> {
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
      const { description = "" } = read.fields;
      return { name, description, source, skill, body: read.body, ...fileProblems(read, found.text, file, skill) };
    }
  }
  return undefined;
}

/** Keys of commands and skills that Claude Code honors and this agent does not. */
const unsupportedKeys = ["allowed-tools", "disallowed-tools", "model", "effort", "context", "agent"];

/** Contract: a file whose hooks cannot run is not used; other parts without effect are reported. */
function fileProblems({ keys, fault }: PromptFrontmatter, text: string, file: string, skill: boolean) {
  if (fault !== undefined) {
    const sentence = `${file}:${fault.line}: ${fault.why}. Fix the file.`;
    return mentionsHooks.test(text) ? { fault: sentence } : { unhonored: sentence };
  }
  if (!skill && keys.includes("hooks")) {
    const place = `skills/${basename(file, ".md")}/SKILL.md`;
    return { fault: `${file} has hooks, which this agent runs for skills and not for commands. Make it ${place}.` };
  }
  const unhonored = unsupportedKeys.filter((key) => keys.includes(key));
  if (unhonored.length === 0) return {};
  return { unhonored: `${file}: this agent does not honor ${unhonored.join(", ")} of this file.` };
}

/** The names of all commands and skills. */
export async function commandNames(options: AgentOptions) {
  const names = async (kind: string) => {
    const found = await Promise.all(
      foldersOf(options).map(({ folder }) => readdir(join(folder, kind)).catch(() => [])),
    );
    return [...new Set(found.flat())].sort();
  };
  const commands = (await names("commands")).filter((name) => name.endsWith(".md")).map((name) => name.slice(0, -3));
  return { commands, skills: await names("skills") };
}

/** All commands and skills with their descriptions. */
export async function commandList(
  options: AgentOptions,
): Promise<readonly Pick<CustomCommand, "name" | "description">[]> {
  const { commands, skills } = await commandNames(options);
  const found = await Promise.all([...new Set([...commands, ...skills])].map((name) => findCommand(options, name)));
  return found.filter((command) => command !== undefined).map(({ name, description }) => ({ name, description }));
}

function foldersOf({ cwd, configFolder, reads }: AgentOptions) {
  const folders = [
    { folder: join(cwd, ".claude"), source: "projectSettings", of: "project", roots: [cwd] },
    { folder: configFolder, source: "userSettings", of: "user", roots: "anywhere" },
  ] as const;
  return folders.filter(({ of }) => reads("skills", of));
}

export interface ExpandedCommand {
  /** The typed command in the format of transcripts. */
  readonly line: string;
  /** The expanded prompt. */
  readonly content: readonly TextBlock[];
  readonly notes: readonly Attachment[];
}

/** Expands a typed `/name args`, after UserPromptExpansion hooks; undefined when no command has the name. */
export async function expandCommand(thread: AgentThread, typed: string, signal: AbortSignal) {
  const [, name, args = ""] = /^\/([\w:.-]+)(?:\s+([\s\S]*))?$/.exec(typed.trim()) ?? [];
  if (name === undefined) return undefined;
  const { session } = thread;
  const command = await findCommand(session.options, name);
  if (command === undefined) return undefined;
  const { fault, source, unhonored, skill, body } = command;
  if (fault !== undefined) return { blocked: `/${name} is not used: ${fault}`, notes: [] };
  const named = { command_name: name, command_args: args, command_source: source };
  const about = { expansion_type: "slash_command", ...named, prompt: typed };
  const { outcome, notes } = await fireAndHold(thread, "UserPromptExpansion", about, { signal });
  if (outcome.blocked) return { blocked: blockedPrompt(outcome, typed), notes };
  if (unhonored !== undefined) session.notice(unhonored, "warning");
  if (skill) session.engine.session(session.record.id).useSkill(name);
  return {
    line: `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`,
    content: [{ type: "text" as const, text: fillArguments(body, args) }],
    notes,
  };
}

/** The message about a prompt that a hook blocked. */
export function blockedPrompt(outcome: Outcome, typed: string): string {
  const original = outcome.output.suppressOriginalPrompt === true ? "" : `\n\nOriginal prompt: ${typed}`;
  return `${outcome.event} operation blocked by hook:\n${refusalText(outcome)}${original}`;
}

function fillArguments(body: string, args: string): string {
  const words = args.split(/\s+/).filter(Boolean);
  return body
    .replace(/\$ARGUMENTS/g, () => args)
    .replace(/\$(\d)/g, (_, digit: string) => words[Number(digit) - 1] ?? "");
}
