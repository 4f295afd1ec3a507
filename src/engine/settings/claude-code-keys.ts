import { type Field, type Fields, lazy } from "../../protocol/internal.ts";

/*
 * What Claude Code 2.1.325 accepts in a settings file, measured by giving every key a value of every other type.
 * One value that does not fit makes it drop the whole file. Keys that are not listed here are not read.
 */

const text: Field = { is: "text", optional: true };
const flag: Field = { is: "flag", optional: true };
const number: Field = { is: "number", optional: true };
const object = { is: "object", optional: true } as const satisfies Field;
/** Claude Code removes items that are not text. */
const list: Field = { is: "list", of: { is: "anything" }, optional: true };
const texts: Field = { is: "list", of: { is: "text" }, optional: true };

const anything: Field = { is: "anything", optional: true };

const needed: Field = { is: "text" };
const disable: Field = { is: "text", of: ["disable"], optional: true };
const onFailure: Field = { is: "text", of: ["continue", "block"], optional: true };

const permissions: Fields = {
  allow: list,
  ask: list,
  deny: list,
  additionalDirectories: texts,
  defaultMode: {
    is: "text",
    of: ["acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"],
    optional: true,
  },
  disableBypassPermissionsMode: disable,
  disableAutoMode: disable,
  blockReadsOutsideWorkingDirectories: flag,
  blockWritesOutsideWorkingDirectories: flag,
  denyInsteadOfPrompting: flag,
};

/** The keys other than `hooks`. */
export const claudeCodeKeys: () => Fields = lazy(() => ({
  ...structuredKeys,
  ...Object.fromEntries(simpleKeys.flatMap(([field, names]) => names.split(/\s+/).map((name) => [name, field]))),
}));

const program: Fields = { type: { is: "text", of: ["command"] }, command: needed };

const structuredKeys: Fields = {
  permissions: { ...object, fields: permissions },
  env: object,
  statusLine: { ...object, fields: { ...program, padding: number } },
  fileSuggestion: { ...object, fields: program },
  sandbox: { ...object, fields: { enabled: flag, network: object } },
  attribution: { is: "either", of: [{ is: "flag" }, { is: "object" }], optional: true },
  disableAutoMode: disable,
  cleanupPeriodDays: { is: "number", above: 0, optional: true },
};

/** Keys with a value of a simple type. */
const simpleKeys: readonly (readonly [Field, string])[] = [
  [
    text,
    `$schema advisorModel agent apiKeyHelper attributionProject autoMemoryDirectory awsAuthRefresh awsCredentialExport claudeMd
     gcpAuthRefresh language minimumVersion model otelHeadersHelper outputStyle plansDirectory pluginTrustMessage prUrlTemplate
     processWrapper proxyAuthHelper requiredMaximumVersion requiredMinimumVersion timeZone`,
  ],
  [
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
  ],
  [number, "desktopSessionCleanupPeriodDays feedbackSurveyRate skillListingBudgetFraction skillListingMaxDescChars"],
  [
    object,
    `breakReminder enabledPlugins modelOverrides pluginConfigs quietHours remote remoteTools skillOverrides spinnerVerbs voice
     worktree`,
  ],
  [list, "allowedChannelPlugins blockedMarketplaces sshConfigs strictKnownMarketplaces"],
  [
    texts,
    `allowedHttpHookUrls availableModels claudeMdExcludes companyAnnouncements fallbackModel httpHookAllowedEnvVars
     pluginSuggestionMarketplaces`,
  ],
  [
    anything,
    `additionalMarketplaces allowedMarketplaces allowedMcpServers allowedProviders appendPlugins askUserQuestionTimeout
     attributionProjectPolicy autoCompactWindow autoMode autoUpdatesChannel availableModelsMatch bashOutputMaxChars
     crossSessionInbound daemonColdStart defaultShell defaultView deniedMcpServers deniedModels dialogExpiry
     disableDeepLinkRegistration disableReplyCheck disableWindowsBashCommandSplit editorMode effortLevel feedbackDrafts
     footerLinksRegexes forceLoginGatewayUrl forceLoginMethod forceLoginOrgUUID gatewayInternalNetworks keybindingFlavor
     managedMcpServers managedSourcesBehavior maxEffortLevel maxProseWidth modelPicker modelPricing modelSettings
     parentSettingsBehavior policyHelper policyHelpers preferredNotifChannel prependPlugins promptCacheTtl remoteControl
     responseComparisonEnabled skipAutoPermissionPrompt spellcheck spinnerTipsOverride sshHostCommands subagentPromptCacheTtl
     subagentStatusLine taskOutputMaxChars teammateMode theme timeFormat todoFeatureEnabled totalTokensReminder tui ultracode
     useAutoModeDuringPlan viewMode vimInsertModeRemaps voiceEnabled workflowSizeGuideline xaaIdp`,
  ],
];

/** Keys for which only 2.1.197 drops the file. */
export const olderClaudeCodeKeys: Fields = {
  enabledMcpjsonServers: list,
  disabledMcpjsonServers: list,
  extraKnownMarketplaces: {
    is: "object",
    values: { is: "object", fields: { source: { is: "object" } } },
    optional: true,
  },
};

/** Events that 2.1.197 does not know and ignores. */
export const newerEvents: ReadonlySet<string> = new Set(["PreModelSwitch", "PostModelSwitch", "DirectoryAdded"]);

const everyHook: Fields = {
  if: text,
  once: flag,
  statusMessage: text,
  timeout: { is: "number", above: 0, optional: true },
};

/** The fields of each hook type. */
export const claudeCodeHooks: Readonly<Record<string, Fields>> = {
  command: {
    command: needed,
    args: texts,
    async: flag,
    asyncRewake: flag,
    shell: { is: "text", of: ["bash", "powershell"], optional: true },
    rewakeMessage: text,
    rewakeSummary: text,
    ...everyHook,
    onFailure,
    /** Where it may run when a session in the cloud is driven from this machine. */
    cloud: anything,
  },
  http: {
    url: needed,
    headers: { is: "object", values: needed, optional: true },
    allowedEnvVars: texts,
    ...everyHook,
    onFailure,
    cloud: anything,
  },
  prompt: { prompt: needed, model: text, continueOnBlock: flag, ...everyHook },
  agent: { prompt: needed, model: text, ...everyHook },
  mcp_tool: { server: needed, tool: needed, input: object, ...everyHook },
};

export const keysOfPluginHooks: ReadonlySet<string> = new Set("description hooks modules name version".split(" "));

/** The keys of agents and skills. */
export const keysOfFrontmatter: ReadonlySet<string> = new Set(
  `agent allowed-tools argument-hint arguments background color compatibility context description disable-model-invocation
   disallowed-tools disallowedTools effort hooks initialPrompt isolation license maxTurns mcpServers memory metadata model modules
   name paths permissionMode shell skills tools user-invocable version when_to_use`.split(/\s+/),
);
