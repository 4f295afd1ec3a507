import { basename, join } from "node:path";
import { managedFolder, openServerTrust } from "../../engine/internal.ts";
import { defined, type Outcome, Problem } from "../../protocol/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import { unknownTools } from "../tools/builtin-tools.ts";
import { answerElicitation } from "../turn/ask-user.ts";
import { builtinNames } from "../turn/builtin-commands.ts";
import { commandNames } from "../turn/custom-commands.ts";
import { fire } from "../turn/fire-event.ts";
import { returnToWorktree, startInWorktree } from "../worktree/session-worktree.ts";
import { readSettingsFiles, unsupportedSettings } from "../world/agent-settings.ts";
import { type AgentSession, type AgentThread, recordStartSubagent, setTitle } from "./agent-session.ts";
import { tasksLostAtRestart } from "./inbox.ts";
import type { OpenSession } from "./open-session.ts";
import { switchModelOnResume, warnAboutModel } from "./session-model.ts";

/** Begins a session: fires Setup if requested, then SessionStart. Returns the first prompt if a hook gave one. */
export async function beginSession({ session, main, opened, history }: OpenSession): Promise<string | undefined> {
  const { options, signal, workspace, registry } = session;
  await registry.set("busy");
  await reportSettings(session);
  warnAboutModel(main);
  await checkSubagent(session, opened.startedAs);
  const unknown = unknownTools(options, [...session.tools, ...session.subagentTools(main)]);
  if (unknown.length > 0) session.notice(`This agent has no tool ${unknown.join(", ")}.`, "warning");
  if (options.name !== undefined) await setTitle(session, options.name);
  session.servers = await connectServers(session, main);
  if (options.worktree !== undefined) await startInWorktree(main, options.worktree, signal);
  else if (history.lastFolder !== undefined) await returnToWorktree(main, history.lastFolder, signal);
  for (const notification of tasksLostAtRestart(main.messages)) session.inbox.put(notification);
  if (options.setup !== undefined) {
    const trigger = options.setup === "maintenance" ? "maintenance" : "init";
    await fire(main, "Setup", { trigger }, { signal });
  }
  const started = await sessionStart(main, opened);
  await switchModelOnResume(main, history.lastModel);
  await workspace.begin(main, started);
  const { commands, skills } = await commandNames(options);
  session.report({
    kind: "init",
    tools: main.tools().map(({ name }) => name),
    model: main.model.name,
    mcpServers: session.servers.states,
    subagents: session.definitions.map(({ type }) => type),
    commands: [...new Set([...commands, ...skills, ...builtinNames])],
    skills,
    apiKeySource: apiKeySource(options),
    plugins: (options.plugins ?? []).map((path) => ({ name: basename(path), path })),
  });
  return started.output.initialUserMessage;
}

/** Refuses the start under an unknown name: the limits in the subagent's file would not apply. */
async function checkSubagent(session: AgentSession, startedAs: string | undefined): Promise<void> {
  const { subagent } = session.options;
  const kinds = session.definitions.map(({ type }) => type);
  if (subagent === undefined) return;
  if (kinds.includes(subagent)) return await recordStartSubagent(session);
  const unknown = `There is no subagent "${subagent}". Subagents: ${kinds.join(", ")}.`;
  const hint = " This session was started as it; name another one with --subagent.";
  const message = subagent === startedAs ? unknown + hint : unknown;
  throw new Problem("host/bad-agent", message, { about: { agent: subagent } });
}

function apiKeySource({ env }: AgentOptions): string {
  return ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].find((name) => (env[name] ?? "") !== "") ?? "none";
}

/** Reports problems of settings and rules, and hooks of the project that are not approved. */
async function reportSettings({ engine, permissions, options, report, notice }: AgentSession): Promise<void> {
  for (const warning of engine.warnings) report({ kind: "warning", warning });
  for (const text of await unsupportedSettings(options)) notice(text, "warning");
  const reported = new Set(engine.warnings.map(({ message }) => message));
  for (const { message } of await permissions.begin()) if (!reported.has(message)) notice(message, "warning");
  const unapproved = engine.list().filter(({ trust }) => trust === "new" || trust === "changed");
  // A Stop hook of the subagent that the session was started as is listed under two events.
  const count = new Set(unapproved.map(({ hook }) => hook.id)).size;
  if (count === 0) return;
  const hooks = count === 1 ? "1 hook of this folder is" : `${count} hooks of this folder are`;
  const guards = unapproved.some(({ denies }) => denies) ? ", except that a changed guard denies" : "";
  notice(`${hooks} not approved and will not run${guards}; hookline trust shows them.`, "warning");
}

async function sessionStart(main: AgentThread, { source, forkedFrom }: OpenSession["opened"]): Promise<Outcome> {
  const { session } = main;
  const about = {
    // A fork reports the session it was made from.
    ...defined({ session_id: forkedFrom?.id, transcript_path: forkedFrom?.file }),
    source,
    ...(source === "startup" && session.options.interactive ? { model: main.model.name } : {}),
  };
  const started = await fire(main, "SessionStart", about, { signal: session.signal });
  const { sessionTitle } = started.output;
  if (sessionTitle !== undefined) await setTitle(session, sessionTitle);
  return started;
}

/** Connects the MCP servers. A server that the project configures needs an approval of exactly that configuration. */
async function connectServers(session: AgentSession, main: AgentThread): Promise<McpServers> {
  const { options, signal, notice } = session;
  const { cwd, home, env, trust } = options;
  const [{ mcpConnector }, { serverPolicy, disabledServers }] = await Promise.all([
    import("../mcp/connect-servers.ts"),
    import("../mcp/server-policy.ts"),
  ]);
  const connect = options.connect ?? mcpConnector();
  const settings = await readSettingsFiles(options);
  return connect({
    cwd,
    home,
    env,
    configs: options.mcpConfig ?? [],
    reads: (source) => options.reads("mcp", source),
    policy: serverPolicy(settings),
    off: disabledServers(settings),
    managed: join(options.managedFolder ?? managedFolder(process.platform), "managed-mcp.json"),
    approved: await openServerTrust({ cwd, home, env, ...defined({ trust }) }),
    elicit: (form, callSignal) => answerElicitation(main, form, AbortSignal.any([callSignal, signal])),
    tell: (text) => notice(text, "warning"),
    signal,
  });
}
