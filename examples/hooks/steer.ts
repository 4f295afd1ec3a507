// Lets you steer a running agent: what you write into a file reaches the model with its next step, once.
// app.include(steer({ file: ".claude/STEER.md" }));
import { readFileSync, renameSync } from "node:fs";
import { resolve } from "node:path";
import { type Blueprint, blueprint, context } from "hookline/sdk";

export interface SteerOptions {
  /** Counted from the project. */
  readonly file?: string;
}

export function steer(given: SteerOptions = {}): Blueprint {
  const part = blueprint("steer", given, { file: "string" });
  const { file = ".claude/STEER.md" } = given;
  const words = (projectDir: string) => {
    const text = take(resolve(projectDir, file));
    return text === undefined ? undefined : context(`The user says:\n${text}`);
  };
  // A past session cannot be steered.
  const when = (_: unknown, { replay }: { replay: boolean }) => !replay;
  const options = { name: "steer", onFailure: "continue", when } as const;
  part.postTool(options, (_event, { projectDir }) => words(projectDir));
  part.onPrompt(options, (_event, { projectDir }) => words(projectDir));
  // At a stop, context makes the agent continue with it.
  part.onStop(options, (_event, { projectDir }) => words(projectDir));
  return part;
}

/** Renamed before it is read: of two hooks at the same time one gets it, and what you write meanwhile is kept for the next. */
function take(path: string): string | undefined {
  try {
    renameSync(path, `${path}.taken`);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return undefined;
    throw error;
  }
  return readFileSync(`${path}.taken`, "utf8").trim() || undefined;
}
