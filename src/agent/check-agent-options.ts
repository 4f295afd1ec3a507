import { statSync } from "node:fs";
import { resolve } from "node:path";
import { readMode } from "../permissions/internal.ts";
import {
  abortSignal,
  amount,
  bad,
  type Check,
  checkNamed,
  flag,
  is,
  isObject,
  object,
  Problem,
  text,
  texts,
  wholeNumber,
  work,
} from "../protocol/internal.ts";
import type { RunAgentOptions } from "./agent-options.ts";

/** Refuses options that could not be kept: a limit or a rule that is misspelled must not be silently without effect. */
export function checkAgentOptions(options: RunAgentOptions): void {
  checkNamed("runAgent", options, checks);
  if (!isObject(options.model)) throw bad("runAgent needs a model: see hookline/models.", "model");
  const { sessionId, resume, continueLatest = false, fork = false, cwd = ".", addDirectories = [] } = options;
  if (resume !== undefined && continueLatest)
    throw bad("resume (--resume) and continueLatest (--continue) name two sessions. Use one.", "continueLatest");
  const goesOn = resume !== undefined || continueLatest;
  if (fork && !goesOn)
    throw bad(
      "fork (--fork-session) needs a session to copy: resume (--resume ID) or continueLatest (--continue).",
      "fork",
    );
  if (sessionId !== undefined && goesOn && !fork)
    throw bad("A resumed session keeps its id. Leave sessionId (--session-id) out, or fork.", "sessionId");
  for (const folder of addDirectories) checkFolder(resolve(cwd, folder));
}

const milliseconds = is("a number of milliseconds", (value) => typeof value === "number" && value >= 0);
const mode = is(
  "a permission mode: default, acceptEdits, plan, dontAsk, bypassPermissions or auto",
  (value) => readMode(value) === value,
);

/** Those without a check are checked where they are used, with a message of their own. */
const checks: Readonly<Record<keyof RunAgentOptions, Check | undefined>> = {
  model: is("a model", (value) => isObject(value) && typeof value["stream"] === "function"),
  ...{ openModel: work, modelName: text, fallbackModel: text, modelFromSettings: flag, effort: undefined },
  maxThinkingTokens: is("a whole number, 0 or more", (value) => Number.isInteger(value) && Number(value) >= 0),
  ...{ prompt: text, onReady: work, observe: work, user: object },
  signal: abortSignal,
  ...{ cwd: text, home: text, env: object, version: text, interactive: flag },
  ...{ sessionId: text, resume: text, continueLatest: flag, fork: flag, name: text, persist: flag, store: text },
  ...{ settings: texts, plugins: texts, trust: undefined, managedFolder: text, settingSources: undefined },
  ...{ permissionMode: mode, allowedTools: texts, disallowedTools: texts, tools: texts },
  ...{ systemPrompt: text, appendSystemPrompt: text, subagents: object, subagent: text },
  ...{ addDirectories: texts, worktree: text, connect: work, mcpConfig: texts },
  webFetch: is("true, false or an object", (value) => typeof value === "boolean" || isObject(value)),
  ...{ maxTurns: wholeNumber, maxBudgetUsd: amount, compactAt: amount },
  setup: is('"init", "init-only" or "maintenance"', (value) =>
    ["init", "init-only", "maintenance"].includes(String(value)),
  ),
  ...{ idleMs: milliseconds, promptNoticeMs: milliseconds, hookProgressMs: milliseconds },
  clock: is("an object with now()", (value) => isObject(value) && typeof value["now"] === "function"),
  uuid: work,
};

function checkFolder(path: string): void {
  if (isFolder(path)) return;
  throw new Problem("host/no-folder", `${path} is not a folder. Name an existing one.`, { about: { path } });
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Not there, behind a folder that may not be entered, or no path at all: nothing can be added in any case.
    return false;
  }
}
