import { join } from "node:path";
import { openEngine } from "../engine/index.ts";
import { clientHome } from "../engine/settings/index.ts";
import type { Model } from "../models/index.ts";
import type { Linked } from "../sessions/index.ts";
import type { AgentEvent } from "./agent-event.ts";
import { agentTools } from "./agents/agent-tools.ts";
import { allowedTools } from "./agents/allowed-tools.ts";
import { openBackgroundAgents } from "./agents/background.ts";
import { type AgentDefinition, loadAgents } from "./agents/definitions.ts";
import { withGivenAgents } from "./agents/given-agents.ts";
import { noteInTranscript } from "./channels.ts";
import { readCustomization } from "./customization.ts";
import { deferredIn } from "./deferred.ts";
import { digest } from "./digest.ts";
import { enginePorts } from "./engine-ports.ts";
import { messagesOf } from "./history.ts";
import { openInbox } from "./inbox.ts";
import { openJournal } from "./journal.ts";
import { openLiveEntry } from "./live-entry.ts";
import { serversNamed } from "./mcp/tool-name.ts";
import type { BatchCall } from "./model-call.ts";
import { guardedObserver } from "./observer.ts";
import { offeredTools } from "./offered-tools.ts";
import type { AgentOptions } from "./options.ts";
import { openPermissions } from "./permissions.ts";
import { withoutProviderKeys } from "./provider-keys.ts";
import { type OpenedRecord, openRecord } from "./record.ts";
import { lastModel } from "./resumed-model.ts";
import type { AgentSession } from "./session.ts";
import { settingsModel } from "./settings-model.ts";
import { shellNews } from "./shell-news.ts";
import { openSpending } from "./spending.ts";
import { openSurroundings } from "./surroundings.ts";
import { systemPrompt } from "./system-prompt.ts";
import type { Thread } from "./thread.ts";
import { openTiming } from "./timing.ts";
import { toolPaths } from "./tool-context.ts";
import { openBackgroundShells } from "./tools/background-shells.ts";
import { builtinTools } from "./tools/builtin.ts";
import { openReadState } from "./tools/read-state.ts";
import type { Tool } from "./tools/tool.ts";
import type { WebFetchOptions } from "./tools/web-options.ts";
import { lastFolder } from "./worktree/return-to-worktree.ts";

/** A session that is open but has not begun: nothing was fired yet. */
export interface OpenedSession {
  readonly session: AgentSession;
  readonly main: Thread;
  /** Without what was said before: the main thread has it, and it may be large. */
  readonly opened: Omit<OpenedRecord, "context">;
  readonly deferred: readonly BatchCall[];
  /** Who answered last in a session that goes on. */
  readonly lastModel: string | undefined;
  /** Where such a session was last. */
  readonly lastFolder: string | undefined;
}

export async function openAgentSession(given: AgentOptions, ending: AbortSignal): Promise<OpenedSession> {
  const late = {} as { session: AgentSession; main: Thread };
  const report: (event: AgentEvent) => void = guardedObserver(given.observe, (warning) => {
    report({ kind: "warning", warning });
    if (late.main !== undefined) noteInTranscript(late.main, warning.message);
  });
  const notice: AgentSession["notice"] = (text, level) => report({ kind: "notice", text, level });
  const warn = (text: string): void => notice(text, "warning");
  const wished: AgentOptions = { ...given, observe: report, reads: await readCustomization(given, warn) };
  const { env, removed } = await withoutProviderKeys(wished, warn);
  const { context, ...opened } = await openRecord(wished);
  const agent = wished.agent ?? opened.startedAs;
  // What limits and guards an agent holds for the whole session, also when a later process continues it.
  const options: AgentOptions = agent === undefined ? wished : { ...wished, agent };
  const { cwd, home, clock } = options;
  const directories = [...(options.addDirectories ?? [])];
  const permissions = openPermissions(() => late.session.engine, options, directories, {
    ownFolder: () => late.session.record.root,
    outputFolders: () => {
      const { toolResults, outputs } = toolPaths(late.session);
      return [toolResults, outputs];
    },
    servers: () => late.session.servers.flatMap(({ states }) => serversNamed(states)),
    envNames: () => Object.keys(late.session.toolEnv),
  });
  const engine = await openEngine({
    cwd,
    home,
    env,
    interactive: options.interactive,
    settings: options.settings ?? [],
    plugins: options.plugins ?? [],
    ...(options.trust === undefined ? {} : { trust: options.trust }),
    ...(options.managedFolder === undefined ? {} : { managedFolder: options.managedFolder }),
    ...(options.settingSources === undefined ? {} : { settingSources: options.settingSources }),
    envFileRoot: opened.record.root,
    canDefer: !options.interactive,
    bypassAvailable: options.permissionMode === "bypassPermissions",
    common: () => ({
      session_id: late.session.record.id,
      transcript_path: late.session.record.file,
      cwd: late.main.cwd,
      ...(late.session.promptId === undefined ? {} : { prompt_id: late.session.promptId }),
    }),
    conversation: ({ agent_id: agent }) => (late.session.threads.get(String(agent)) ?? late.main).messages,
    ...(options.agent === undefined ? {} : { startedAs: options.agent }),
    agentKind: ({ agent_id: agent }) => late.session?.threads.get(String(agent))?.agent?.kind,
    ports: enginePorts(() => late.main, permissions, options.interactive),
  });
  const configHome = clientHome(env["CLAUDE_CONFIG_DIR"], home);
  const folders = [
    { folder: join(configHome, "agents"), of: "person" },
    { folder: join(cwd, ".claude", "agents"), of: "checkout" },
  ] as const;
  const read = folders.filter(({ of }) => options.reads("agents", of === "person" ? "user" : "project"));
  const definitions = withGivenAgents(
    await loadAgents(read, warn),
    options.reads("agents", "flag") ? (options.agents ?? {}) : {},
  );
  const inbox = openInbox();
  const session: AgentSession = {
    options,
    engine,
    projectRoot: cwd,
    permissions,
    spending: openSpending(clock.now),
    timing: openTiming(clock.now),
    inbox,
    agents: openBackgroundAgents(),
    shells: openBackgroundShells(
      (shell) => inbox.put(shellNews(shell)),
      options.interactive ? undefined : () => inbox.hold(),
    ),
    live: await openLiveEntry(opened.record, options, warn),
    surroundings: openSurroundings({
      options,
      engine,
      directories: () => directories,
      envFolder: () => join(opened.record.root, "session-env", late.session.record.id),
      warn,
    }),
    definitions,
    prompts: { system: options.systemPrompt, append: options.appendSystemPrompt },
    tools: ownTools(options, () => late.main),
    servers: [],
    openModel: modelOpener(options),
    report,
    notice,
    signal: ending,
    get toolEnv() {
      return { ...env, ...engine.toolEnv() };
    },
    directories,
    record: opened.record,
    removedKeys: removed,
    notices: new Set(),
    threads: new Map(),
    turns: 0,
  };
  const deferred = deferredIn(context);
  const main = await openMain(session, context, new Set(deferred.map(({ call }) => call.id)));
  Object.assign(late, { session, main });
  return { session, main, opened, deferred, lastModel: lastModel(context), lastFolder: lastFolder(context) };
}

function ownTools({ webFetch = false }: AgentOptions, main: () => Thread): readonly Tool[] {
  if (webFetch === false) return builtinTools();
  const digested: WebFetchOptions["digest"] = (text, prompt, signal) => digest(main(), text, prompt, signal);
  return builtinTools({ webFetch: { ...(webFetch === true ? {} : webFetch), digest: digested } });
}

/** Every name is asked of the one model that was given, unless the host can find others. */
function modelOpener({ model, openModel }: AgentOptions): AgentSession["openModel"] {
  const known = new Map<string, Promise<Model>>();
  return async (name) => {
    if (openModel === undefined || name === model.name) return { port: model, name };
    const port = await (known.get(name) ?? known.set(name, openModel(name)).get(name) ?? model);
    return { port, name: port === model ? name : port.name };
  };
}

async function openMain(
  session: AgentSession,
  context: readonly Linked[],
  deferred: ReadonlySet<string>,
): Promise<Thread> {
  const { options, record, surroundings } = session;
  const definition = () => session.definitions.find(({ type }) => type === options.agent);
  const messages = messagesOf(context, deferred);
  const thread: Thread = {
    session,
    purpose: "main",
    messages,
    journal: openJournal(record.main, { promptId: () => session.promptId, cwd: () => thread.cwd }),
    readState: openReadState(),
    tools: () =>
      allowedTools(
        offeredTools(
          options,
          [...session.tools, ...agentTools(thread)],
          session.servers.flatMap(({ tools }) => tools),
        ),
        definition(),
      ),
    system: () =>
      systemPrompt(
        { cwd: thread.cwd, date: new Date(options.clock.now()), instructions: surroundings.instructions() },
        definition(),
        session.prompts,
      ),
    model: await modelOf(session, definition()),
    cwd: options.cwd,
    tailAt: messages.length,
    stopActive: false,
    contextTokens: tokensIn(context),
    ...(options.maxTurns === undefined ? {} : { maxCalls: options.maxTurns }),
  };
  return thread;
}

async function modelOf({ options, openModel, notice }: AgentSession, definition: AgentDefinition | undefined) {
  if (options.modelName !== undefined) return { port: options.model, name: options.modelName };
  // A model that the caller chose stays, whatever the file of the agent says.
  if (definition?.model !== undefined && options.modelFromSettings !== false) return openModel(definition.model);
  const set = await settingsModel(options, (text) => notice(text, "warning"));
  return set === undefined ? { port: options.model, name: options.model.name } : openModel(set);
}

/** What the last answer of a conversation said it held. */
function tokensIn(context: readonly Linked[]): number {
  const last = context.findLast((entry) => entry.kind === "assistant" && entry.usage !== undefined);
  const usage = last?.kind === "assistant" ? (last.usage ?? {}) : {};
  const names = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
  return names.reduce((sum, name) => sum + (typeof usage[name] === "number" ? usage[name] : 0), 0);
}
