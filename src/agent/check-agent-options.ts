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

const texts = [
  "modelName",
  "fallbackModel",
  "prompt",
  "cwd",
  "home",
  "version",
  "sessionId",
  "resume",
  "name",
] as const;
const moreTexts = ["store", "managedFolder", "systemPrompt", "appendSystemPrompt", "subagent", "worktree"] as const;
const textLists = ["settings", "plugins", "allowedTools", "disallowedTools", "tools", "addDirectories"] as const;
const booleans = ["modelFromSettings", "interactive", "continueLatest", "fork", "persist"] as const;

const checks: Readonly<Record<keyof RunAgentOptions, OptionCheck | undefined>> = {
  ...checkAll(textCheck, ...texts, ...moreTexts),
  ...checkAll(textListCheck, ...textLists, "mcpConfig"),
  ...checkAll(booleanCheck, ...booleans),
  ...checkAll(functionCheck, "openModel", "onReady", "observe", "connect", "uuid"),
  ...checkAll(objectCheck, "user", "env", "subagents"),
  ...checkAll(positiveNumberCheck, "maxBudgetUsd", "compactAt"),
  ...checkAll(milliseconds, "idleMs", "promptNoticeMs", "hookProgressMs"),
  // These are checked where they are used, with their own message.
  ...checkAll(undefined, "effort", "trust", "settingSources"),
  model: checkOf("a model", (value) => isObject(value) && typeof value["stream"] === "function"),
  maxThinkingTokens: checkOf("a whole number, 0 or more", (value) => Number.isInteger(value) && Number(value) >= 0),
  signal: abortSignalCheck,
  permissionMode: mode,
  webFetch: checkOf("true, false or an object", (value) => typeof value === "boolean" || isObject(value)),
  maxTurns: wholeNumberCheck,
  setup: checkOf('"init", "init-only" or "maintenance"', (value) =>
    ["init", "init-only", "maintenance"].includes(String(value)),
  ),
  clock: checkOf("an object with now()", (value) => isObject(value) && typeof value["now"] === "function"),
};

function checkAll<Name extends keyof RunAgentOptions>(
  check: OptionCheck | undefined,
  ...names: readonly Name[]
): Readonly<Record<Name, OptionCheck | undefined>> {
  return Object.fromEntries(names.map((name) => [name, check])) as Record<Name, OptionCheck | undefined>;
}

/** Throws a `Problem` for a path that is missing, not accessible or not a folder. */
export function checkFolder(path: string): void {
  try {
    if (statSync(path).isDirectory()) return;
  } catch {
    // Reported below.
  }
  throw new Problem("host/no-folder", `${path} is not a folder. Name an existing one.`, { about: { path } });
}
