import type { Engine, Judge, JudgeAnswer, PermissionRules } from "../../engine/internal.ts";
import {
  applyUpdates,
  checkUpdates,
  combine,
  compileRules,
  type Judgement,
  judge,
  type Mode,
  onlyManagedGrants,
  type Policy,
  type RuleLayer,
  type RuleWarning,
} from "../../permissions/internal.ts";
import { type Denial, defined, type PermissionUpdate, Problem, type ToolInput } from "../../protocol/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import { type McpServers, toolServerNames } from "../mcp/mcp-servers.ts";
import { type SessionRecord, toolPaths } from "./session-record.ts";

/** The state of a session that its permissions depend on. */
export interface SessionBase {
  readonly options: AgentOptions;
  readonly engine: Engine;
  /** Where its transcript is written. `/clear` replaces it. */
  record: SessionRecord;
  /** Absent until the session begins. */
  servers?: McpServers;
  /** The whole environment of tools. */
  readonly toolEnv: Readonly<Record<string, string | undefined>>;
  readonly directories: string[];
}

export type Permissions = ReturnType<typeof openPermissions>;

/** The rules, the mode and the folders of a session. Agents share them with the main thread. */
export function openPermissions(options: AgentOptions, session: () => SessionBase) {
  const flags: RuleLayer = { scope: "flags", allow: options.allowedTools ?? [], deny: options.disallowedTools ?? [] };
  let chosenMode = options.permissionMode;
  let sessionRules: readonly RuleLayer[] = [flags];
  /** The policy, and the layers and server names that it was compiled from. */
  let compiled: { readonly from: readonly unknown[]; readonly policy: Policy } | undefined;
  let context: PermissionRules["context"] | undefined;

  /** The rules of settings and of the session, compiled again when one of them or the MCP servers change. */
  async function currentRules() {
    const rules = await session().engine.rules();
    const mcpServers = toolServerNames(session().servers?.states ?? []);
    const from = [rules.layers, sessionRules, mcpServers.join("\n")];
    if (compiled === undefined || compiled.from.some((input, index) => input !== from[index])) {
      const policy = compileRules([...rules.layers, ...sessionRules], { ...rules.policy.names, mcpServers });
      compiled = { from, policy };
    }
    context = rules.context;
    return { rules, policy: compiled.policy };
  }

  const requestedMode = (): Mode => chosenMode ?? compiled?.policy.defaultMode ?? "default";
  /** The effective mode: `default` instead of a mode that policy disables. */
  const mode = (): Mode => (isDisabled(requestedMode(), compiled?.policy) ? "default" : requestedMode());

  /** Judges a call in a folder by rules and mode, as if a user could be asked. */
  async function judgeCall(tool: string, input: ToolInput, cwd: string): Promise<Judgement> {
    const { rules, policy } = await currentRules();
    const ofSettings = rules.context({ cwd, permission_mode: mode() });
    const about = {
      ...ofSettings,
      // Env files are in the session's folder, and their content runs with every command.
      ownFiles: [...(ofSettings.ownFiles ?? []), session().record.root],
      // Setting one of these variables in a command changes the environment of programs.
      envNames: Object.keys(session().toolEnv),
      directories: addedFolders(policy),
      attended: true,
    };
    const judgement = judge({ tool, input }, policy, about);
    // A denial by `denyInsteadOfPrompting` counts as one by the mode, unless a rule asked.
    const byMode = judgement.by === "mode" || (judgement.by === "unattended" && judgement.stance === "none");
    if (!byMode) return judgement;
    if (harmless.has(tool)) return judge({ tool, input }, harmlessRules, about);
    if (judgement.decision === "allow" || !readers.has(tool)) return judgement;
    // The model gets the paths of outputs that are too long to be shown, so it may read there.
    const { toolResults, outputs } = toolPaths(session());
    return judge({ tool, input }, policy, { ...about, directories: [...about.directories, toolResults, outputs] });
  }

  /** Added folders are grants: they have no effect where only managed rules count. */
  function addedFolders({ layers }: Policy): readonly string[] {
    return onlyManagedGrants(layers) ? [] : session().directories;
  }

  return {
    /** Reads the rules. Throws a `Problem` if the session begins in `bypassPermissions` and policy disables it. */
    async begin(): Promise<readonly RuleWarning[]> {
      const { policy } = await currentRules();
      const requested = requestedMode();
      if (!isDisabled(requested, policy)) return policy.warnings;
      if (requested === "bypassPermissions") throw modeDisabled("bypassPermissions");
      const message = `${requested} is disabled by settings; "default" is used`;
      return [...policy.warnings, { code: "mode-ignored", message }];
    },
    mode,
    /** Throws a `Problem` for a mode that policy disables. */
    setMode(requested: Mode): void {
      if (isDisabled(requested, compiled?.policy)) throw modeDisabled(requested);
      chosenMode = requested;
    },
    judge: judgeCall,
    /** Whether rules let the model see a file. */
    mayRead(path: string, cwd: string): boolean {
      if (compiled === undefined || context === undefined) return true;
      const { policy } = compiled;
      const about = { ...context({ cwd, permission_mode: mode() }), directories: addedFolders(policy) };
      return judge({ tool: "Read", input: { file_path: path } }, policy, about).stance !== "deny";
    },
    /** Applies updates from the next judgment on, and drops others with a warning. `stored` are those that belong in a file. */
    async apply(updates: readonly PermissionUpdate[], scope?: string) {
      const { policy } = await currentRules();
      const bypassAvailable = options.permissionMode === "bypassPermissions";
      const source = { bypassAvailable, ...defined({ scope }) };
      const { accepted, warnings } = checkUpdates(updates, policy, source);
      const applied = applyUpdates(policy, accepted, source);
      sessionRules = [flags, ...applied.policy.layers.filter((layer) => layer.scope === "session")];
      const { sessionMode } = compileRules(sessionRules);
      if (sessionMode !== undefined && accepted.some(({ type }) => type === "setMode")) chosenMode = sessionMode;
      return { accepted, stored: applied.stored, warnings };
    },
    /** Judges, for the engine, calls that a hook allowed. */
    async judgeAllowed(...[tool, input, payload]: Parameters<Judge>): Promise<JudgeAnswer> {
      const judgement = await judgeCall(tool, input, payload.cwd ?? options.cwd);
      const { by, decision, reason } = combine({ kind: "allow" }, judgement);
      if (by === "hook" || decision === "allow" || decision === "defer")
        return { decision: "allow", reason, byRule: false };
      const { rule } = judgement;
      return { decision, reason, byRule: true, ...defined({ rule: rule?.text }) };
    },
    denials: [] as Denial[],
  };
}

/** Tools that affect only the session itself. Each call of a subagent is judged separately. */
const harmless: ReadonlySet<string> = new Set([
  ...["Agent", "SendMessage", "EnterWorktree", "ExitWorktree"],
  ...["TaskCreate", "TaskUpdate", "TaskList", "TaskGet"],
]);

/** Tools that may read outputs of other tools in the session's own folders. */
const readers: ReadonlySet<string> = new Set(["Read", "Glob", "Grep"]);

/** Allows the harmless tools where no rule applies. It is not a grant of a settings file, so no policy can drop it. */
const harmlessRules = compileRules([{ scope: "flags", allow: [...harmless] }]);

function isDisabled(mode: Mode, policy: Policy | undefined): boolean {
  if (mode === "bypassPermissions") return policy?.bypassDisabled === true;
  return mode === "auto" && policy?.autoDisabled === true;
}

function modeDisabled(mode: Mode): Problem {
  return new Problem("host/mode", `Policy disables ${mode}. Choose another permission mode.`);
}
