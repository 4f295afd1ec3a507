import { closestName, didYouMean, isMisspelling } from "../did-you-mean.ts";
import { fitsWildcard } from "../wildcard.ts";
import { catalog, isEventName } from "./catalog.ts";
import type { EventRow } from "./event-row.ts";

/** Tools of Claude Code. Another name may come too, from a host with its own tools, unless it is one of these misspelled. */
const tools =
  "Agent AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep KillShell LS LSP MultiEdit NotebookEdit NotebookRead Read SendMessage Skill SlashCommand Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebFetch WebSearch Write";

/** The name that was meant, when a host never sends this one to a matcher of the event. Undefined when it may come. */
export function intendedName(row: EventRow, name: string): string | undefined {
  if (row.matchesOn === null) return undefined;
  const { known, closed } = valuesOf(row);
  if (known.includes(name)) return undefined;
  if (row.matchesOn.part === "basename" && /\/[^/]/.test(name))
    return name.slice(name.lastIndexOf("/") + 1) || undefined;
  const [, server] = (row.special.onTool && /^(mcp__(?:(?!__).)+)(?:__)?$/.exec(name)) || [];
  if (server !== undefined) return `${server}__.*`;
  const near = closestName(name, known);
  // With a closed list anything else never comes; with an open one only what is plainly another spelling.
  if (closed) return near ?? known.join(", ");
  return near !== undefined && isMisspelling(name, near) ? near : undefined;
}

/** The same for a pattern: it matches no value that is known, though it has the name of one in it (`^bash$`, `/Bash/`, `Bash Edit`). */
export function intendedInPattern(
  row: EventRow,
  pattern: string,
  test: (value: string) => boolean,
): string | undefined {
  const { known, closed } = valuesOf(row);
  // `Bash.+` is for tools whose names begin so.
  if (known.length === 0 || known.some((name) => test(name) || test(`${name}Output`))) return undefined;
  // Part of a longer name may be the word: `mcp__files__(read|write)`.
  if (!closed && /[_-]/.test(pattern)) return undefined;
  const words = new Set(
    pattern
      .toLowerCase()
      .replace(/\\[a-z]/g, " ")
      .split(/\W+/),
  );
  return known.find((name) => words.has(name.toLowerCase())) ?? (closed ? known.join(", ") : undefined);
}

/** The same for a name in which `*` is any text. A tool has no `.` in its name: `Bash.*` is an expression in the wrong place. */
export function intendedInWildcard(row: EventRow, name: string): string | undefined {
  if (row.special.onTool && name.includes(".*")) return name.replaceAll(".*", "*");
  const meant = name.includes("*") ? undefined : intendedName(row, name)?.replace(".*", "*");
  return meant ?? intendedInPattern(row, name, (value) => fitsWildcard(name, value));
}

/** The values that a matcher of the event is compared with, as far as they are known; `closed` when there are no others. */
function valuesOf(row: EventRow): { readonly known: readonly string[]; readonly closed: boolean } {
  const field = row.matchesOn === null ? undefined : row.fields[row.matchesOn.field];
  const words = field?.is === "text" ? field.of : undefined;
  const known = words ?? (row.special.onTool ? tools.split(" ") : []);
  return { known, closed: field?.is === "text" && words !== undefined && field.open !== true };
}

/** What is wrong with the handlers of an app, by the ids that it gives them (`PreToolUse:bash`): one sentence for each that never runs. */
export function handlersThatNeverRun(event: string, ids: readonly string[]): readonly string[] {
  if (!isEventName(event)) {
    const hint = didYouMean(event, Object.keys(catalog));
    return [`"${event}" is not an event of Claude Code, so its handlers never run.${hint}`];
  }
  const names = ids.map((id) => id.slice(event.length + 1)).filter((name) => name !== "");
  return names.flatMap((name) => {
    const foreign = catalog[event].special.onTool ? foreignName(undefined, name) : undefined;
    const meant = intendedInWildcard(catalog[event], name);
    if (meant !== undefined) return [`A handler of ${event} for "${name}" never runs. Did you mean "${meant}"?`];
    if (foreign === undefined) return [];
    return [`A handler of ${event} for "${name}" never runs: ${foreign.agent} has such a tool, Claude Code has not.`];
  });
}

/** A name of an event or a tool that another agent uses and Claude Code does not. */
interface ForeignName {
  readonly kind: "event" | "tool";
  readonly name: string;
  /** The agents that use it, for messages: `Gemini CLI or Qwen Code`. */
  readonly agent: string;
}

/**
 * The only table of names of other agents. A name that Claude Code uses too (`PreToolUse`, `Bash`, `Edit`) must not be in it: such a
 * payload is answered like one of Claude Code's. Names are separated by blanks.
 */
const namesOfAgents: readonly Readonly<Record<"agent" | "events" | "tools", string>>[] = [
  {
    agent: "Gemini CLI",
    events: "BeforeTool AfterTool BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection PreCompress",
    tools:
      "run_shell_command read_file read_many_files write_file replace list_directory search_file_content grep_search glob web_fetch google_web_search save_memory write_todos invoke_agent ask_user activate_skill",
  },
  {
    agent: "Qwen Code",
    events: "TodoCreated TodoCompleted",
    tools:
      "run_shell_command read_file write_file edit list_directory grep_search glob web_fetch web_search todo_write",
  },
  {
    agent: "Codex",
    events: "",
    tools:
      "exec_command write_stdin shell local_shell shell_command apply_patch update_plan view_image spawn_agent unified_exec",
  },
  {
    agent: "GitHub Copilot",
    events:
      "sessionStart sessionEnd userPromptSubmitted userPromptTransformed preToolUse postToolUse postToolUseFailure preMcpToolCall permissionRequest agentStop subagentStart subagentStop preCompact errorOccurred notification",
    tools:
      "bash powershell view create edit str_replace_editor apply_patch grep rg glob web_fetch web_search update_todo task run_in_terminal runTerminalCommand insert_edit_into_file replace_string_in_file create_file",
  },
  {
    agent: "Cursor",
    events:
      "sessionStart sessionEnd beforeSubmitPrompt preToolUse postToolUse postToolUseFailure beforeShellExecution afterShellExecution beforeMCPExecution afterMCPExecution beforeReadFile afterFileEdit beforeTabFileRead afterTabFileEdit afterAgentResponse afterAgentThought subagentStart subagentStop preCompact stop workspaceOpen",
    tools: "run_terminal_cmd edit_file search_replace delete_file codebase_search",
  },
  { agent: "Droid", events: "", tools: "Execute Create ApplyPatch FetchUrl" },
  {
    agent: "Cline",
    events:
      "TaskStart TaskResume TaskCancel TaskComplete TaskError SessionShutdown tool_call tool_result agent_start agent_end",
    tools: "run_commands execute_command editor write_to_file replace_in_file",
  },
  {
    agent: "OpenCode",
    events:
      "tool.execute.before tool.execute.after chat.message chat.params chat.headers permission.ask permission.asked permission.replied command.execute.before session.created session.idle session.error session.status session.compacted shell.env experimental.session.compacting experimental.text.complete",
    tools: "bash read write edit patch multiedit glob grep list webfetch websearch todowrite todoread task",
  },
  {
    agent: "Pi",
    events:
      "session_start session_shutdown input before_agent_start agent_start agent_end turn_start turn_end context tool_call tool_result",
    tools: "bash read write edit grep find ls",
  },
  {
    agent: "Goose",
    events: "BeforeReadFile AfterFileEdit BeforeShellExecution",
    tools: "developer__shell developer__text_editor",
  },
  {
    agent: "Windsurf",
    events:
      "pre_user_prompt pre_run_command post_run_command pre_write_code post_write_code pre_read_code post_read_code pre_mcp_tool_use post_mcp_tool_use post_cascade_response post_setup_worktree",
    tools: "",
  },
  {
    agent: "Kiro",
    events: "agentSpawn userPromptSubmit PostFileSave PostFileCreate PostFileDelete PreTaskExec PostTaskExec",
    tools: "execute_bash fs_read fs_write use_aws",
  },
  { agent: "Augment", events: "PromptSubmit", tools: "launch-process save-file str-replace-editor remove-files" },
  { agent: "Amp", events: "session.start agent.start agent.end tool.call tool.result", tools: "" },
  { agent: "Mistral Vibe", events: "pre_tool post_tool post_agent", tools: "" },
];

/** The name of another agent in a payload's event or tool; the event counts first. Undefined when there is none. */
export function foreignName(event: unknown, tool: unknown): ForeignName | undefined {
  return lookUp("event", event) ?? lookUp("tool", tool);
}

/** Says whose name it is, and which tool of Claude Code has the same name in another letter case. */
export function foreignNameText({ kind, name, agent }: ForeignName): string {
  const meant = tools.split(" ").find((tool) => kind === "tool" && tool.toLowerCase() === name.toLowerCase());
  return `The ${kind} "${name}" belongs to ${agent}.${meant === undefined ? "" : ` Did you mean "${meant}"?`}`;
}

function lookUp(kind: ForeignName["kind"], name: unknown): ForeignName | undefined {
  if (typeof name !== "string" || name === "") return undefined;
  const agents = namesOfAgents.filter((one) => (kind === "event" ? one.events : one.tools).split(" ").includes(name));
  if (agents.length === 0) return undefined;
  return { kind, name, agent: agents.map(({ agent }) => agent).join(" or ") };
}
