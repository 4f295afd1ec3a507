import type { Engine, Judge, PermissionRules } from "../../engine/internal.ts";
import {
  applyUpdates,
  checkUpdates,
  combine,
  compileRules,
  type Judgement,
  judge,
  type Mode,
  type Policy,
  type RuleLayer,
  type RuleWarning,
} from "../../permissions/internal.ts";
import { type Denial, type PermissionUpdate, Problem, type ToolInput } from "../../protocol/internal.ts";
import type { AgentOptions } from "../agent-options.ts";
import { toolServerNames } from "../mcp/mcp-servers.ts";
import { toolPaths } from "../turn/tool-context.ts";
import type { AgentSession } from "./agent-session.ts";

/** The rules, the mode and the folders of a session. Agents share them with the main thread. */
export interface Permissions {
  /** Reads the rules. Contract: refuses, as a `Problem`, to begin in `bypassPermissions` where policy has switched it off. */
  begin(): Promise<readonly RuleWarning[]>;
  /** The mode in force: `default` in the place of one that policy has switched off. */
  mode(): Mode;
  /** Contract: refuses, as a `Problem`, a mode that policy has switched off. */
  setMode(mode: Mode): void;
  /** What rules and mode say of a call in a folder; whether anybody is there to ask is not looked at. */
  judge(tool: string, input: ToolInput, cwd: string): Promise<Judgement>;
  /** Whether rules let the model see a file. */
  mayRead(path: string, cwd: string): boolean;
  /** In force from the next judgement. Gives back those that belong in a file. */
  apply(updates: readonly PermissionUpdate[], scope?: string): Promise<AppliedUpdates>;
  /** For the engine, about what hooks allowed. */
  readonly judgeAllowed: Judge;
  readonly denials: Denial[];
}

export interface AppliedUpdates {
  /** Those that may be: the others were dropped, each with a warning. */
  readonly accepted: readonly PermissionUpdate[];
  readonly stored: readonly PermissionUpdate[];
  readonly warnings: readonly RuleWarning[];
}

export function openPermissions(
  engine: Engine,
  options: AgentOptions,
  directories: readonly string[],
  session: () => Pick<AgentSession, "options" | "record" | "servers" | "toolEnv">,
): Permissions {
  const flags: RuleLayer = {
    scope: "flags",
    allow: options.allowedTools ?? [],
    deny: options.disallowedTools ?? [],
  };
  let chosen = options.permissionMode;
  let own: readonly RuleLayer[] = [flags];
  let known: { base: readonly RuleLayer[]; own: readonly RuleLayer[]; named: string; policy: Policy } | undefined;
  let last: Policy | undefined;
  let context: PermissionRules["context"] | undefined;

  async function inForce() {
    const rules = await engine.rules();
    const mcpServers = session().servers.flatMap(({ states }) => toolServerNames(states));
    const named = mcpServers.join("\n");
    if (known?.base !== rules.layers || known.own !== own || known.named !== named) {
      const policy = compileRules([...rules.layers, ...own], { ...rules.policy.names, mcpServers });
      known = { base: rules.layers, own, named, policy };
    }
    last = known.policy;
    context = rules.context;
    return { rules, policy: known.policy };
  }

  const wanted = (): Mode => chosen ?? last?.defaultMode ?? "default";
  const mode = (): Mode => (isOff(wanted(), last) ? "default" : wanted());

  async function judgeCall(tool: string, input: ToolInput, cwd: string): Promise<Judgement> {
    const { rules, policy } = await inForce();
    const place = rules.context({ cwd, permission_mode: mode() });
    const about = {
      ...place,
      // Env files are in the session's folder, and their content runs with every command.
      ownFiles: [...(place.ownFiles ?? []), session().record.root],
      // To set one of these variables in a command changes what programs get.
      envNames: Object.keys(session().toolEnv),
      directories: countedFolders(policy),
      attended: true,
    };
    const judgement = judge({ tool, input }, policy, about);
    // What `denyInsteadOfPrompting` made of a question is still the mode's word, unless a rule asked it.
    const byMode = judgement.by === "mode" || (judgement.by === "unattended" && judgement.stance === "none");
    if (!byMode) return judgement;
    if (harmless.has(tool)) return judge({ tool, input }, ownRules, about);
    if (judgement.decision === "allow" || !readers.has(tool)) return judgement;
    // The model gets the paths of outputs that are too long to be shown, so it may read there.
    const { toolResults, outputs } = toolPaths(session());
    return judge({ tool, input }, policy, { ...about, directories: [...about.directories, toolResults, outputs] });
  }

  /** Added folders are a grant like any other. */
  function countedFolders({ layers }: Policy): readonly string[] {
    const only = layers.some(({ scope, allowManagedPermissionRulesOnly: is }) => scope === "managed" && is === true);
    return only ? [] : directories;
  }

  return {
    async begin() {
      const { policy } = await inForce();
      if (!isOff(wanted(), policy)) return policy.warnings;
      if (wanted() === "bypassPermissions") throw modeDisabled("bypassPermissions");
      const message = `${wanted()} is switched off by settings; "default" is used`;
      return [...policy.warnings, { code: "mode-ignored", message }];
    },
    mode,
    setMode(given) {
      if (isOff(given, last)) throw modeDisabled(given);
      chosen = given;
    },
    judge: judgeCall,
    mayRead(path, cwd) {
      if (last === undefined || context === undefined) return true;
      const about = { ...context({ cwd, permission_mode: mode() }), directories: countedFolders(last) };
      return judge({ tool: "Read", input: { file_path: path } }, last, about).stance !== "deny";
    },
    async apply(updates, scope) {
      const { policy } = await inForce();
      const bypassAvailable = options.permissionMode === "bypassPermissions";
      const source = { bypassAvailable, ...(scope === undefined ? {} : { scope }) };
      const { accepted, warnings } = checkUpdates(updates, policy, source);
      const applied = applyUpdates(policy, accepted, source);
      own = [flags, ...applied.policy.layers.filter((layer) => layer.scope === "session")];
      const { sessionMode } = compileRules(own);
      if (sessionMode !== undefined && accepted.some(({ type }) => type === "setMode")) chosen = sessionMode;
      return { accepted, stored: applied.stored, warnings };
    },
    judgeAllowed: async (tool, input, payload) => {
      const judgement = await judgeCall(tool, input, payload.cwd ?? options.cwd);
      const { by, decision, reason } = combine({ kind: "allow" }, judgement);
      if (by === "hook" || decision === "allow" || decision === "defer")
        return { decision: "allow", reason, byRule: false };
      const { rule } = judgement;
      return { decision, reason, byRule: true, ...(rule === null ? {} : { rule: rule.text }) };
    },
    denials: [],
  };
}

/** Tools that touch nothing but the session itself; what agents do is judged call by call. */
const harmless: ReadonlySet<string> = new Set([
  "Agent",
  "SendMessage",
  "TaskCreate",
  "TaskUpdate",
  "TaskList",
  "TaskGet",
  "EnterWorktree",
  "ExitWorktree",
]);

/** Tools that only read, and so may read what other tools left in the session's own folders. */
const readers: ReadonlySet<string> = new Set(["Read", "Glob", "Grep"]);

/** The agent's own word about these, where no rule says anything: no grant of a settings file, so no policy on those drops it. */
const ownRules = compileRules([{ scope: "flags", allow: [...harmless] }]);

function isOff(mode: Mode, policy: Policy | undefined): boolean {
  if (mode === "bypassPermissions") return policy?.bypassDisabled === true;
  return mode === "auto" && policy?.autoDisabled === true;
}

function modeDisabled(mode: Mode): Problem {
  return new Problem("host/mode", `Policy has switched ${mode} off here. Choose another permission mode.`);
}
