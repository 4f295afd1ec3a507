import type { TextBlock } from "../../models/index.ts";
import { type Attachment, refusalOf } from "../attachment.ts";
import { fireAndHold } from "../fire.ts";
import type { Thread } from "../thread.ts";
import { findCommand } from "./custom.ts";

export interface Expanded {
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
export async function expand(
  thread: Thread,
  typed: string,
  signal: AbortSignal,
): Promise<Expanded | NotExpanded | undefined> {
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
    return { blocked: `UserPromptExpansion operation blocked by hook:\n${refusalOf(outcome)}${original}`, notes };
  }
  const { unhonored } = command;
  if (unhonored !== undefined) thread.session.notice(unhonored, "warning");
  if (command.skill) thread.session.engine.session(thread.session.record.id).useSkill(name);
  return {
    line: `<command-message>${name}</command-message>\n<command-name>/${name}</command-name>\n<command-args>${args}</command-args>`,
    content: [{ type: "text", text: filledIn(command.body, args) }],
    notes,
  };
}

function filledIn(body: string, args: string): string {
  const words = args.split(/\s+/).filter(Boolean);
  return body
    .replace(/\$ARGUMENTS/g, () => args)
    .replace(/\$(\d)/g, (_, digit: string) => words[Number(digit) - 1] ?? "");
}
