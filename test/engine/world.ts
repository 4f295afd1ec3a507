import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { type Engine, type EngineOptions, openEngine } from "../../src/engine/internal.ts";
import type { CommandHook, Hook, HookGroup } from "../../src/protocol/internal.ts";

export interface TestWorld {
  readonly engine: Engine;
  readonly home: string;
  readonly project: string;
  /** Carried by every process that a hook of this engine starts. */
  readonly mark: string;
}

/** An engine with these settings in a home and a project of its own; both end with the test. */
export async function openIn(settings: object, options: EngineOptions = {}): Promise<TestWorld> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hookline-engine-")));
  const [home, project] = [join(root, "home"), join(root, "project")];
  mkdirSync(join(project, ".claude"), { recursive: true });
  writeUserSettings(home, settings);
  const mark = `HOOKLINE_TEST=${root}`;
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    HOOKLINE_HOME: join(root, "state"),
    HOOKLINE_TEST: root,
    // A busy machine may need longer to start a shell than the end of a session allows.
    CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS: "60000",
  };
  const engine = await openEngine({
    home,
    cwd: project,
    trust: "implicit",
    managedFolder: join(root, "managed"),
    ...options,
    env: { ...env, ...options.env },
  });
  onTestFinished(async () => {
    await engine.close();
    rmSync(root, { recursive: true, force: true });
  });
  return { engine, home, project, mark };
}

export function writeUserSettings(home: string, settings: object | string): void {
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(
    join(home, ".claude", "settings.json"),
    typeof settings === "string" ? settings : JSON.stringify(settings),
  );
}

/** Settings with these hooks of one event, in one group. */
export function on(event: string, ...hooks: readonly (string | Hook)[]): { hooks: Record<string, HookGroup[]> } {
  return { hooks: { [event]: [{ hooks: hooks.map((hook) => (typeof hook === "string" ? command(hook) : hook)) }] } };
}

export function command(text: string, more: Partial<CommandHook> = {}): CommandHook {
  return { type: "command", command: text, ...more };
}

export const bash = { tool_name: "Bash", tool_input: { command: "ls" } };

/** Living processes whose environment holds the mark; Linux only. */
export function processesWith(mark: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => environmentOf(pid).includes(mark) && !isDead(pid))
    .map(Number);
}

function environmentOf(pid: string): string {
  return readProc(pid, "environ");
}

/** Ended but not yet collected by its parent. */
function isDead(pid: string): boolean {
  return /\) [ZX]/.test(readProc(pid, "stat"));
}

/** Empty for a process that has exited or is not ours. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
