import { join } from "node:path";
import { type EngineOptions, openEngine } from "../../engine/internal.ts";
import { runTag } from "../../exec/internal.ts";
import { defined, guardedObserver } from "../../protocol/internal.ts";
import type { AgentEvent } from "../agent-event.ts";
import type { AgentOptions } from "../agent-options.ts";
import { enginePorts } from "../hook-ports/engine-ports.ts";
import { loadSubagents } from "../subagents/subagent-definitions.ts";
import { subagentTools } from "../subagents/subagent-tools.ts";
import { builtinTools, digest } from "../tools/builtin-tools.ts";
import { openBackgroundShells } from "../tools/shell/background-shells.ts";
import type { Tool } from "../tools/tool.ts";
import type { WebFetchOptions } from "../tools/web/fetch-page.ts";
import { noteInTranscript } from "../turn/channels.ts";
import { readCustomization } from "../world/agent-settings.ts";
import { stripProviderKeys } from "../world/provider-keys.ts";
import { openWorkspace } from "../world/workspace.ts";
import { type AgentSession, type AgentThread, commonPayload, openBackgroundSubagents } from "./agent-session.ts";
import { readConversation } from "./conversation-history.ts";
import { openInbox, shellNotification } from "./inbox.ts";
import { openThread } from "./open-thread.ts";
import { openRegistryEntry } from "./registry-entry.ts";
import { modelAtStart, modelOpener } from "./session-model.ts";
import { openPermissions } from "./session-permissions.ts";
import { openRecord } from "./session-record.ts";
import { openSpending } from "./spending.ts";

export type OpenSession = Awaited<ReturnType<typeof openAgentSession>>;

/** Opens a session that has not begun: no event was fired yet. The main thread has the earlier conversation, which may be large. */
export async function openAgentSession(given: AgentOptions) {
  const threads: AgentSession["threads"] = new Map();
  const report: (event: AgentEvent) => void = guardedObserver(given.observe, (warning) => {
    report({ kind: "warning", warning });
    const main = threads.get("main");
    if (main !== undefined) noteInTranscript(main, warning.message);
  });
  const notice: AgentSession["notice"] = (text, level) => report({ kind: "notice", text, level });
  const warn = (text: string): void => notice(text, "warning");

  const requested: AgentOptions = { ...given, observe: report, reads: await readCustomization(given, warn) };
  const { env, removed } = await stripProviderKeys(requested, warn);
  const { context, ...opened } = await openRecord(requested);
  const { messages, ...history } = readConversation(context);
  // The limits and hooks of the subagent apply to the whole session, also when a later process continues it.
  const options: AgentOptions = { ...requested, ...defined({ subagent: requested.subagent ?? opened.startedAs }) };
  const engine = await openEngine(engineOptions(options, env, opened.record.root, threads));

  const inbox = openInbox();
  const session: AgentSession = {
    options,
    engine,
    permissions: openPermissions(options, () => session),
    spending: openSpending(options.clock.now),
    inbox,
    subagents: openBackgroundSubagents(),
    shells: openBackgroundShells(
      (shell) => inbox.put(shellNotification(shell)),
      options.interactive ? undefined : () => inbox.hold(),
      options.env[runTag],
    ),
    registry: await openRegistryEntry(opened.record, options, warn),
    workspace: openWorkspace(options, join(opened.record.root, "session-env"), () => session),
    definitions: await loadSubagents(options, warn),
    prompts: { system: options.systemPrompt, append: options.appendSystemPrompt },
    tools: ownTools(options, () => mainThread(threads)),
    subagentTools,
    openModel: modelOpener(options),
    report,
    notice,
    signal: options.signal,
    get toolEnv() {
      return { ...env, ...engine.toolEnv() };
    },
    directories: [...(options.addDirectories ?? [])],
    record: opened.record,
    removedKeys: removed,
    notices: new Set(),
    threads,
    turns: 0,
  };

  const definition = () => session.definitions.find(({ type }) => type === options.subagent);
  const main = openThread(session, {
    purpose: "main",
    transcript: opened.record.main,
    definition,
    messages,
    model: await modelAtStart(session, definition()),
    cwd: options.cwd,
    contextTokens: history.contextTokens,
    ...defined({ maxCalls: options.maxTurns }),
  });
  return { session, main, opened, history };
}

/** The callbacks use the main thread, which is open before the first event is fired. */
function engineOptions(
  options: AgentOptions,
  env: AgentOptions["env"],
  envFileRoot: string,
  threads: AgentSession["threads"],
): EngineOptions {
  const main = () => mainThread(threads);
  const { cwd, home, interactive, settings = [], plugins = [], permissionMode } = options;
  const { trust, managedFolder, settingSources, subagent: startedAs } = options;
  return {
    cwd,
    home,
    env,
    interactive,
    settings,
    plugins,
    ...defined({ trust, managedFolder, settingSources, startedAs }),
    envFileRoot,
    canDefer: !interactive,
    bypassAvailable: permissionMode === "bypassPermissions",
    common: () => commonPayload(main()),
    conversation: ({ agent_id: id }) => (threads.get(String(id)) ?? main()).messages,
    agentKind: ({ agent_id: id }) => threads.get(String(id))?.agent?.kind,
    ports: enginePorts(main, interactive),
  };
}

function mainThread(threads: AgentSession["threads"]): AgentThread {
  const main = threads.get("main");
  if (main === undefined) throw new Error("the main thread is not open yet");
  return main;
}

function ownTools({ webFetch = false }: AgentOptions, main: () => AgentThread): readonly Tool[] {
  if (webFetch === false) return builtinTools();
  const digested: WebFetchOptions["digest"] = (text, prompt, signal) => digest(main(), text, prompt, signal);
  return builtinTools({ ...(webFetch === true ? {} : webFetch), digest: digested });
}
