import { statSync } from "node:fs";
import { resolve } from "node:path";
import { readMode } from "../permissions/internal.ts";
import {
  abortSignalCheck,
  badOption,
  booleanCheck,
  checkNamed,
  checkOf,
  functionCheck,
  isObject,
  type OptionCheck,
  objectCheck,
  Problem,
  positiveNumberCheck,
  textCheck,
  textListCheck,
  wholeNumberCheck,
} from "../protocol/internal.ts";
import type { RunAgentOptions } from "./agent-options.ts";

/** Refuses options that cannot be honored: a misspelled limit or rule must not be ignored silently. */
export function checkAgentOptions(options: RunAgentOptions): void {
  checkNamed("runAgent", options, checks);
  if (!isObject(options.model)) throw badOption("runAgent needs a model: see hookline/models.", "model");
  const { sessionId, resume, continueLatest = false, fork = false, cwd = ".", addDirectories = [] } = options;
  if (resume !== undefined && continueLatest)
    throw badOption("resume (--resume) and continueLatest (--continue) name two sessions. Use one.", "continueLatest");
  const continues = resume !== undefined || continueLatest;
  if (fork && !continues)
    throw badOption(
      "fork (--fork-session) needs a session to copy: resume (--resume ID) or continueLatest (--continue).",
      "fork",
    );
  if (sessionId !== undefined && continues && !fork)
    throw badOption("A resumed session keeps its id. Leave sessionId (--session-id) out, or fork.", "sessionId");
  for (const folder of addDirectories) checkFolder(resolve(cwd, folder));
}

const milliseconds = checkOf("a number of milliseconds", (value) => typeof value === "number" && value >= 0);
const mode = checkOf(
  "a permission mode: default, acceptEdits, plan, dontAsk, bypassPermissions or auto",
  (value) => readMode(value) === value,
);

/** An option without a check here is checked where it is used, with its own message. */
const checks: Readonly<Record<keyof RunAgentOptions, OptionCheck | undefined>> = {
  model: checkOf("a model", (value) => isObject(value) && typeof value["stream"] === "function"),
  ...{
    openModel: functionCheck,
    modelName: textCheck,
    fallbackModel: textCheck,
    modelFromSettings: booleanCheck,
    effort: undefined,
  },
  maxThinkingTokens: checkOf("a whole number, 0 or more", (value) => Number.isInteger(value) && Number(value) >= 0),
  ...{ prompt: textCheck, onReady: functionCheck, observe: functionCheck, user: objectCheck },
  signal: abortSignalCheck,
  ...{ cwd: textCheck, home: textCheck, env: objectCheck, version: textCheck, interactive: booleanCheck },
  ...{
    sessionId: textCheck,
    resume: textCheck,
    continueLatest: booleanCheck,
    fork: booleanCheck,
    name: textCheck,
    persist: booleanCheck,
    store: textCheck,
  },
  ...{
    settings: textListCheck,
    plugins: textListCheck,
    trust: undefined,
    managedFolder: textCheck,
    settingSources: undefined,
  },
  ...{ permissionMode: mode, allowedTools: textListCheck, disallowedTools: textListCheck, tools: textListCheck },
  ...{ systemPrompt: textCheck, appendSystemPrompt: textCheck, subagents: objectCheck, subagent: textCheck },
  ...{ addDirectories: textListCheck, worktree: textCheck, connect: functionCheck, mcpConfig: textListCheck },
  webFetch: checkOf("true, false or an object", (value) => typeof value === "boolean" || isObject(value)),
  ...{ maxTurns: wholeNumberCheck, maxBudgetUsd: positiveNumberCheck, compactAt: positiveNumberCheck },
  setup: checkOf('"init", "init-only" or "maintenance"', (value) =>
    ["init", "init-only", "maintenance"].includes(String(value)),
  ),
  ...{ idleMs: milliseconds, promptNoticeMs: milliseconds, hookProgressMs: milliseconds },
  clock: checkOf("an object with now()", (value) => isObject(value) && typeof value["now"] === "function"),
  uuid: functionCheck,
};

function checkFolder(path: string): void {
  if (isFolder(path)) return;
  throw new Problem("host/no-folder", `${path} is not a folder. Name an existing one.`, { about: { path } });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Missing, not accessible, or not a valid path: it cannot be added in any case.
    return false;
  }
}
