import type { Field, Fields } from "../../protocol/internal.ts";

/*
 * What Claude Code 2.1.325 accepts in a settings file, measured by giving every key a value of every other type.
 * One value that does not fit makes it drop the whole file. Keys that are not listed here accept anything, or are only ignored.
 */

const text: Field = { is: "text", optional: true };
const flag: Field = { is: "flag", optional: true };
const number: Field = { is: "number", optional: true };
const object: Field = { is: "object", optional: true };
/** The client removes items that are not text. */
const list: Field = { is: "list", of: { is: "anything" }, optional: true };
const texts: Field = { is: "list", of: { is: "text" }, optional: true };

function all(field: Field, names: string): Fields {
  return Object.fromEntries(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, field]),
  );
}

/** Where a hook may run when a session in the cloud is driven from this machine; any value is read. */
const cloud: Field = { is: "anything", optional: true };

const words = (...of: readonly string[]): Field => ({ is: "text", of, optional: true });

const permissions: Fields = {
  ...all(list, "allow ask deny"),
  additionalDirectories: texts,
  defaultMode: words("acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"),
  disableBypassPermissionsMode: words("disable"),
  disableAutoMode: words("disable"),
  ...all(flag, "blockReadsOutsideWorkingDirectories blockWritesOutsideWorkingDirectories denyInsteadOfPrompting"),
};

/** The keys beside `hooks`. */
export const clientKeys: Fields = {
  permissions: { is: "object", fields: permissions, optional: true },
  env: object,
  statusLine: {
    is: "object",
    fields: { type: { is: "text", of: ["command"] }, command: { is: "text" }, padding: number },
    optional: true,
  },
  fileSuggestion: {
    is: "object",
    fields: { type: { is: "text", of: ["command"] }, command: { is: "text" } },
    optional: true,
  },
  sandbox: { is: "object", fields: { enabled: flag, network: object }, optional: true },
  attribution: { is: "either", of: [{ is: "flag" }, { is: "object" }], optional: true },
  disableAutoMode: words("disable"),
  ...all(
    text,
    `$schema advisorModel agent apiKeyHelper attributionProject autoMemoryDirectory awsAuthRefresh awsCredentialExport claudeMd
     gcpAuthRefresh language minimumVersion model otelHeadersHelper outputStyle plansDirectory pluginTrustMessage prUrlTemplate
     processWrapper proxyAuthHelper requiredMaximumVersion requiredMinimumVersion timeZone`,
  ),
  ...all(
    flag,
    `agentPushNotifEnabled allowAllClaudeAiMcps allowClaudeInChromeWithManagedMcp allowManagedHooksOnly allowManagedMcpServersOnly
     allowManagedPermissionRulesOnly alwaysThinkingEnabled autoCompactEnabled autoContinueAtUsageLimit autoDreamEnabled
     autoMemoryEnabled autoScrollEnabled autoUploadSessions awaySummaryEnabled bashEditDiffEnabled channelsEnabled
     disableAgentView disableAllHooks disableArtifact disableBundledSkills disableClaudeAiConnectors disableCommandPluginSources
     disableRemoteControl disableSideloadFlags disableSkillShellExecution disableWorkflows emojiCompletionEnabled
     enableAllProjectMcpServers enableArtifact enableWorkflows enforceAvailableModels fastMode fastModePerSessionOptIn
     fileCheckpointingEnabled forceRemoteSettingsRefresh idleCompaction includeCoAuthoredBy includeGitInstructions
     inputNeededNotifEnabled isolatePeerMachines precomputeCompactionEnabled prefersReducedMotion promptSuggestionEnabled
     remoteControlAtStartup respectGitignore respondToBashCommands showClearContextOnPlanAccept showMessageTimestamps
     showThinkingSummaries showTurnDuration skipDangerousModePermissionPrompt skipWebFetchPreflight skipWorkflowUsageWarning
     spinnerTipsEnabled switchModelsOnFlag syncClaudeAiPlugins syncClaudeAiSkills syntaxHighlightingDisabled
     terminalProgressBarEnabled terminalTitleFromRename verbose wheelScrollAccelerationEnabled workflowKeywordTriggerEnabled
     wslInheritsWindowsSettings`,
  ),
  cleanupPeriodDays: { is: "number", above: 0, optional: true },
  ...all(
    number,
    "desktopSessionCleanupPeriodDays feedbackSurveyRate skillListingBudgetFraction skillListingMaxDescChars",
  ),
  ...all(
    object,
    `breakReminder enabledPlugins modelOverrides pluginConfigs quietHours remote remoteTools skillOverrides spinnerVerbs voice
     worktree`,
  ),
  ...all(list, "allowedChannelPlugins blockedMarketplaces sshConfigs strictKnownMarketplaces"),
  ...all(
    texts,
    `allowedHttpHookUrls availableModels claudeMdExcludes companyAnnouncements fallbackModel httpHookAllowedEnvVars
     pluginSuggestionMarketplaces`,
  ),
};

/** What only 2.1.197 drops the file for. */
export const olderClientKeys: Fields = {
  ...all(list, "enabledMcpjsonServers disabledMcpjsonServers"),
  extraKnownMarketplaces: {
    is: "object",
    values: { is: "object", fields: { source: { is: "object" } } },
    optional: true,
  },
};

/** Events that 2.1.197 does not know; it ignores whatever stands there. */
export const newerEvents: ReadonlySet<string> = new Set(["PreModelSwitch", "PostModelSwitch", "DirectoryAdded"]);

const everyHook: Fields = {
  if: text,
  once: flag,
  statusMessage: text,
  timeout: { is: "number", above: 0, optional: true },
};

/** The fields of each hook type. */
export const clientHooks: Readonly<Record<string, Fields>> = {
  command: {
    command: { is: "text" },
    args: texts,
    async: flag,
    asyncRewake: flag,
    shell: words("bash", "powershell"),
    rewakeMessage: text,
    rewakeSummary: text,
    ...everyHook,
    onFailure: words("continue", "block"),
    cloud,
  },
  http: {
    url: { is: "text" },
    headers: { is: "object", values: { is: "text" }, optional: true },
    allowedEnvVars: texts,
    ...everyHook,
    onFailure: words("continue", "block"),
    cloud,
  },
  prompt: { prompt: { is: "text" }, model: text, continueOnBlock: flag, ...everyHook },
  agent: { prompt: { is: "text" }, model: text, ...everyHook },
  mcp_tool: { server: { is: "text" }, tool: { is: "text" }, input: object, ...everyHook },
};
