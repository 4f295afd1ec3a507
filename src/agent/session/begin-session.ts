import { basename, join } from "node:path";
import { managedFolder, openServerTrust } from "../../engine/internal.ts";
import { type Outcome, Problem } from "../../protocol/internal.ts";
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

/** The beginning of a session: Setup where it was asked for, then SessionStart. Gives the prompt a hook wants answered first. */
export async function beginSession({
  session,
  main,
  opened,
  history,
}: OpenSession): Promise<{ readonly firstPrompt?: string }> {
  const { options, signal, workspace, registry } = session;
  await registry.set("busy");
  await tellSettings(session);
  warnAboutModel(main);
  await checkAgent(session, opened.startedAs);
  const unknown = unknownTools(options, [...session.tools, ...session.subagentTools(main)]);
  if (unknown.length > 0) session.notice(`This agent has no tool ${unknown.join(", ")}.`, "warning");
  if (options.name !== undefined) await setTitle(session, options.name);
  session.servers = [await connectServers(session, main)];
  if (options.worktree !== undefined) await startInWorktree(main, options.worktree, signal);
  else if (history.lastFolder !== undefined) await returnToWorktree(main, history.lastFolder, signal);
  for (const news of tasksLostAtRestart(main.messages)) session.inbox.put(news);
  if (options.setup !== undefined) {
    const trigger = options.setup === "maintenance" ? "maintenance" : "init";
    await fire(main, "Setup", { trigger }, { signal });
  }
  const started = await sessionStart({ session, main, opened });
  await switchModelOnResume(main, history.lastModel);
  await workspace.begin(main, started);
  session.report({
    kind: "init",
    tools: main.tools().map(({ name }) => name),
    model: main.model.name,
    mcpServers: session.servers.flatMap(({ states }) => states),
    subagents: session.definitions.map(({ type }) => type),
    ...(await listed(options)),
    apiKeySource: apiKeySource(options),
    plugins: (options.plugins ?? []).map((path) => ({ name: basename(path), path })),
  });
  const { initialUserMessage } = started.output;
  return initialUserMessage === undefined ? {} : { firstPrompt: initialUserMessage };
}

/** A wrong name refuses the start: what the agent's file limits would not be limited. */
async function checkAgent(session: AgentSession, before: string | undefined): Promise<void> {
  const { subagent } = session.options;
  const kinds = session.definitions.map(({ type }) => type);
  if (subagent === undefined) return;
  if (kinds.includes(subagent)) return await recordStartSubagent(session);
  const here = `There is no subagent "${subagent}". Subagents: ${kinds.join(", ")}.`;
  const message =
    subagent === before ? `${here} This session was started as it; name another one with --subagent.` : here;
  throw new Problem("host/bad-agent", message, { about: { agent: subagent } });
}

/** Everything that can be typed with a slash: commands and skills of one's own, and the built-in ones. */
async function listed(options: AgentOptions): Promise<{ commands: readonly string[]; skills: readonly string[] }> {
  const { commands, skills } = await commandNames(options);
  return { commands: [...new Set([...commands, ...skills, ...builtinNames])], skills };
}

function apiKeySource({ env }: AgentOptions): string {
  return ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].find((name) => (env[name] ?? "") !== "") ?? "none";
}

/** What is wrong with settings and rules, and what of the folder waits for an approval. */
async function tellSettings({ engine, permissions, options, report, notice }: AgentSession): Promise<void> {
  for (const warning of engine.warnings) report({ kind: "warning", warning });
  for (const text of await unsupportedSettings(options)) notice(text, "warning");
  for (const { message } of await permissions.begin()) notice(message, "warning");
  const unapproved = engine.list().filter(({ trust }) => trust === "new" || trust === "changed");
  // Stop of the agent that the session was started as is one hook at two events.
  const waiting = new Set(unapproved.map(({ hook }) => hook.id)).size;
  if (waiting === 0) return;
  const hooks = waiting === 1 ? "1 hook of this folder is" : `${waiting} hooks of this folder are`;
  notice(`${hooks} not approved and will not run; hookline trust shows them.`, "warning");
}

async function sessionStart({
  session,
  main,
  opened,
}: Pick<OpenSession, "session" | "main" | "opened">): Promise<Outcome> {
  const { source, forkedFrom } = opened;
  const { interactive } = session.options;
  const about = {
    // A fork begins as the session it was made from.
    ...(forkedFrom === undefined ? {} : { session_id: forkedFrom.id, transcript_path: forkedFrom.file }),
    source,
    ...(source === "startup" && interactive ? { model: main.model.name } : {}),
  };
  const started = await fire(main, "SessionStart", about, { signal: session.signal });
  const { sessionTitle } = started.output;
  if (sessionTitle !== undefined) await setTitle(session, sessionTitle);
  return started;
}

/** What the project itself configures is started only if exactly it was approved. */
async function connectServers(session: AgentSession, main: AgentThread): Promise<McpServers> {
  const { options, signal, notice } = session;
  const { cwd, home, env, trust } = options;
  const [{ mcpConnector }, { serverPolicy, disabledServers }] = await Promise.all([
    import("../mcp/connect-servers.ts"),
    import("../mcp/server-config.ts"),
  ]);
  const connect = options.connect ?? mcpConnector();
  const places = await readSettingsFiles(options);
  return connect({
    cwd,
    home,
    env,
    configs: options.mcpConfig ?? [],
    reads: (source) => options.reads("mcp", source),
    policy: serverPolicy(places),
    off: disabledServers(places),
    managed: join(options.managedFolder ?? managedFolder(process.platform), "managed-mcp.json"),
    approved: await openServerTrust({ cwd, home, env, ...(trust === undefined ? {} : { trust }) }),
    elicit: (form, given) => answerElicitation(main, form, AbortSignal.any([given, signal])),
    tell: (text) => notice(text, "warning"),
    signal,
  });
}
