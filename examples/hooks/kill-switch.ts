// Stops the agent as soon as a file appears: `touch .claude/STOP` in the project, from anywhere, by anybody.
// app.include(killSwitch({ file: ".claude/STOP" }));
import { lstatSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Blueprint, block, blueprint, halt } from "hookline/sdk";

export interface KillSwitchOptions {
  /** Relative to the project. Its content is shown as the reason. */
  readonly file?: string;
}

export function killSwitch(given: KillSwitchOptions = {}): Blueprint {
  const part = blueprint("kill-switch", given, { file: "string" });
  const { file = ".claude/STOP" } = given;
  const reason = (projectDir: string): string | undefined => {
    const path = resolve(projectDir, file);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined;
    return readFileSync(path, "utf8").trim() || `Stopped by ${file}. Remove the file to continue.`;
  };
  // A switch that cannot be read counts as pulled. That it is pulled today says nothing about the past.
  const when = (_: unknown, { replay }: { replay: boolean }) => !replay;
  const options = { name: "kill-switch", onFailure: "block", when } as const;
  part.preTool(options, (_event, { projectDir }) => {
    const why = reason(projectDir);
    return why === undefined ? undefined : halt(why);
  });
  part.onPrompt(options, (_event, { projectDir }) => {
    const why = reason(projectDir);
    return why === undefined ? undefined : block(why);
  });
  return part;
}
