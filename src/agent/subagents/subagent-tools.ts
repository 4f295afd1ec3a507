import { defined, type ToolInput } from "../../protocol/internal.ts";
import type { AgentThread, SubagentThread } from "../session/agent-session.ts";
import { objectSchema, plain } from "../tools/json-schema.ts";
import {
  callInterrupted,
  type Tool,
  type ToolContext,
  type ToolResult,
  toolError,
  toolSuccess,
} from "../tools/tool.ts";
import { createWorktree } from "../worktree/git-worktree.ts";
import { runSubagentInBackground } from "./background-subagents.ts";
import { namesProvider } from "./subagent-definitions.ts";
import { reportOf, type SubagentReport } from "./subagent-report.ts";
import { maxSubagentDepth, openSubagentThread, type SubagentRequest, startSubagent } from "./subagent-thread.ts";

/** The tools by which a thread starts subagents and sends them messages. */
export function subagentTools(thread: AgentThread): readonly Tool[] {
  return [agentTool(thread), sendMessageTool(thread)];
}

/** Starts an agent: a conversation of its own that works on one task and reports. */
function agentTool(parent: AgentThread): Tool {
  const { definitions } = parent.session;
  const kinds = definitions.map(({ type, description }) => `- ${type}: ${description}`).join("\n");
  return {
    name: "Agent",
    description: `Starts an agent for a task of its own. It sees nothing of this conversation: include everything it needs. Kinds:\n${kinds}`,
    inputSchema: objectSchema(
      { description: { type: "string", description: "Three to five words" }, prompt: plain.string },
      {
        subagent_type: plain.string,
        model: plain.string,
        run_in_background: plain.boolean,
        name: { type: "string", description: "Makes it a teammate that can be sent messages" },
        isolation: { type: "string", enum: ["worktree"] },
      },
    ),
    readOnly: false,
    refuse: (input) => refusal(parent, input),
    render,
    run: (input, context) => runAgentTool(parent, input, context),
  };
}

function refusal({ session, agent }: AgentThread, input: ToolInput): string | undefined {
  const { subagent_type: wanted, name, model } = input;
  const types = session.definitions.map(({ type }) => type);
  if (wanted !== undefined && !types.includes(String(wanted)))
    return `Agent type '${String(wanted)}' not found. Available agents: ${types.join(", ")}`;
  if ((agent?.depth ?? 0) >= maxSubagentDepth)
    return `Subagents can be nested at most ${maxSubagentDepth} levels deep. Do the task yourself.`;
  if (name !== undefined && !/^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/.test(String(name)))
    return "A teammate's name has letters, digits, - and _ only, and at most 32 of them.";
  if (typeof model === "string" && namesProvider(model)) return `"${model}" is not the name of a model. Omit it.`;
  return undefined;
}

async function runAgentTool(parent: AgentThread, input: ToolInput, context: ToolContext): Promise<ToolResult> {
  const { session } = parent;
  const definition = session.definitions.find(({ type }) => type === (input["subagent_type"] ?? "general-purpose"));
  if (definition === undefined) return toolError("There is no such agent.");
  const name = typeof input["name"] === "string" ? input["name"] : undefined;
  const id = session.record.newAgentId(name);
  const folder =
    input["isolation"] === "worktree" ? await createIsolatedFolder(context, `agent-${id}`) : { cwd: parent.cwd };
  if ("error" in folder) return toolError(folder.error);
  const request: SubagentRequest = {
    definition,
    description: String(input["description"]),
    toolUseId: context.toolUseId,
    id,
    background: input["run_in_background"] === true || name !== undefined,
    ...defined({ name, model: typeof input["model"] === "string" ? input["model"] : undefined }),
    ...folder,
  };
  const prompt = String(input["prompt"]);
  const thread = await openSubagentThread(parent, request);
  // An interrupt ends the subagents that run; one that was about to start would run on.
  if (context.signal.aborted) return interrupted;
  if (request.background) return launched(thread, prompt);
  const startedAt = session.options.clock.now();
  const end = await startSubagent(thread, prompt, context.signal);
  session.subagents.add(runSubagentInBackground(thread));
  if (end.by === "interrupted") {
    session.shells.endOf(id);
    return interrupted;
  }
  if (end.by === "api_error") return toolError(end.text);
  return toolSuccess(reportOf(thread, end, { prompt, startedAt }));
}

const interrupted: ToolResult = toolError(callInterrupted, true);

function launched(thread: SubagentThread, prompt: string): ToolResult {
  const { session, agent } = thread;
  const { id, description, transcriptPath, name } = agent;
  session.subagents.add(runSubagentInBackground(thread, prompt));
  return toolSuccess({
    isAsync: true,
    status: "async_launched",
    agentId: id,
    description,
    resolvedModel: thread.model.name,
    prompt,
    outputFile: transcriptPath,
    canReadOutputFile: true,
    ...(name === undefined ? {} : { name, teamName: session.record.team }),
  });
}

function render(response: unknown) {
  const fields = response as Readonly<Record<string, unknown>>;
  if (fields["isAsync"] === true) return [{ type: "text" as const, text: launchText(fields) }];
  const report = response as SubagentReport;
  const { content, agentId, agentType, totalTokens, totalToolUseCount, totalDurationMs } = report;
  const { worktreePath, worktreeBranch } = report;
  // An agent that only explored has nothing to continue.
  if (agentType === "Explore" && worktreePath === undefined) return content;
  const branch = worktreeBranch === undefined ? "" : `\nworktreeBranch: ${worktreeBranch}`;
  const place = worktreePath === undefined ? "" : `\nworktreePath: ${worktreePath}${branch}`;
  const text = `agentId: ${agentId} (use SendMessage with to: '${agentId}', summary: '<5-10 word recap>' to continue this agent)${place}
<usage>subagent_tokens: ${totalTokens}
tool_uses: ${totalToolUseCount}
duration_ms: ${totalDurationMs}</usage>`;
  return [...content, { type: "text" as const, text }];
}

function launchText({ agentId, name }: Readonly<Record<string, unknown>>): string {
  return `Async agent launched successfully.
agentId: ${agentId} (use SendMessage with to: '${name ?? agentId}' to talk to it)
The agent is working in the background. You will be notified automatically when it completes; do not do its work meanwhile.`;
}

/** A working copy for one agent: from a hook, else a worktree of git. It stays when the agent has ended. */
async function createIsolatedFolder({ worktrees, cwd, env, signal }: ToolContext, name: string) {
  const made = await createWorktree(name, worktrees, { cwd: cwd(), env, signal });
  if ("error" in made) return made;
  const { path, branch } = made;
  return { cwd: path, worktree: { path, ...defined({ branch }) } };
}

/** Sends a message to an agent that was started before: a teammate, or one in the background. */
function sendMessageTool({ session }: AgentThread): Tool {
  return {
    name: "SendMessage",
    description:
      "Sends a message to an agent by its id or name. The agent reads it before its next step; its answer comes as a notification.",
    inputSchema: objectSchema({ to: plain.string, message: plain.string }, { summary: plain.string }),
    readOnly: false,
    render: (response) => String((response as { message?: unknown }).message ?? ""),
    async run({ to, message }) {
      const agent = session.subagents.find(String(to));
      if (agent === undefined) return toolError(`No agent ${String(to)} can be sent messages.`);
      if (agent.status === "killed") return toolError(`The agent ${String(to)} was ended; it takes no messages.`);
      agent.send(String(message));
      return toolSuccess({ success: true, message: `Message sent to ${String(to)}.` });
    },
  };
}
