import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { AgentName, SessionCall } from "../agent/index.ts";
import { messageOf, Problem } from "../protocol/index.ts";
import type { Call, Io } from "./command-line/command.ts";
import { readObject, readText } from "./command-line/input.ts";
import { optionTexts, positiveNumber } from "./option-values.ts";

/** The sessions that a call of `hookline ask` wants: one, or one per line of its file. */
export async function callsOf(call: Call, io: Io): Promise<readonly SessionCall[]> {
  const file = call.text("file");
  const common = await commonOf(call, io);
  if (file === undefined) {
    const [prompt, ...extra] = call.words;
    if (prompt === undefined || extra.length > 0) {
      throw new Problem(
        "cli/usage",
        "hookline ask takes one prompt in quotes, or --file PROMPTS. See hookline ask --help.",
      );
    }
    return [{ ...common, prompt: prompt === "-" ? await readText("-", "the prompt", io) : prompt }];
  }
  if (call.words.length > 0) throw new Problem("cli/usage", "Give a prompt or --file, not both.");
  const lines = (
    await readFile(resolve(io.cwd, file), "utf8").catch((cause: unknown) => unreadable(file, cause))
  ).split(/\r?\n/);
  const calls = lines.flatMap((line, index) =>
    line.trim() === "" ? [] : [{ ...common, ...lineCall(line, file, index) }],
  );
  if (calls.length === 0) throw new Problem("cli/bad-input", `${file} holds no prompt.`);
  return calls;
}

function unreadable(file: string, cause: unknown): never {
  throw new Problem("cli/bad-input", `--file cannot be read from ${file}: ${String(cause)}`, { cause });
}

async function commonOf(call: Call, io: Io): Promise<Omit<SessionCall, "prompt">> {
  const settings = call.text("settings");
  const timeout = positiveNumber(call, "timeout");
  const maxTurns = positiveNumber(call, "max-turns");
  const maxBudgetUsd = positiveNumber(call, "max-budget-usd");
  return {
    agent: agentOf(call.text("agent") ?? "claude", io),
    cwd: resolve(io.cwd, call.text("cwd") ?? "."),
    env: io.env,
    ...optionTexts(call, {
      sessionId: "session-id",
      resume: "resume",
      model: "model",
      permissionMode: "permission-mode",
    }),
    ...(call.flag("fork") ? { fork: true } : {}),
    ...(settings === undefined ? {} : { settings: await readObject(settings, "--settings", io) }),
    ...(call.texts("allowed-tools").length === 0 ? {} : { allowedTools: call.texts("allowed-tools") }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1_000 }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
    ...(call.flag("project-settings") ? { projectSettings: true } : {}),
  };
}

function agentOf(name: string, io: Io): AgentName {
  if (name === "claude" || name === "hookline") return name;
  return { file: name.includes("/") ? resolve(io.cwd, name) : name };
}

const lineFields = ["prompt", "cwd", "model", "resume", "fork"] as const;

function lineCall(line: string, file: string, index: number): Pick<SessionCall, "prompt"> {
  if (!line.trimStart().startsWith("{")) return { prompt: line };
  try {
    const value = JSON.parse(line) as Record<string, unknown>;
    if (typeof value["prompt"] !== "string") throw new Error('it has no "prompt"');
    const odd = Object.keys(value).find((name) => !lineFields.some((known) => known === name));
    if (odd !== undefined) throw new Error(`it has a key "${odd}"; a line takes ${lineFields.join(", ")}`);
    return value as { prompt: string };
  } catch (cause) {
    const why = messageOf(cause);
    throw new Problem("cli/bad-input", `${file}, line ${index + 1}: ${why}.`, { cause });
  }
}
