import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { expect } from "vitest";
import type { ReplayReport } from "../../src/replay/internal.ts";
import { app } from "../sdk/guard-app.ts";

const root = resolve(import.meta.dirname, "../..");
/** The built package; another folder can be named to try another build. */
const built = process.env["HOOKLINE_BUILT"] ?? root;

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A user's machine: a home with the recorded transcripts, and a project with hooks. */
export interface Machine {
  readonly home: string;
  readonly project: string;
  readonly state: string;
  /** Puts a file into the project and gives its path. */
  file(name: string, text: string): string;
  hookline(words: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /** The report of `hookline replay … --json`, which must succeed. */
  replay(...args: string[]): Promise<ReplayReport>;
  /** Every file below the folder, sorted: to see that nothing was left. */
  files(): readonly string[];
  remove(): void;
}

export function machine(): Machine {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), "hookline-replay-test-")));
  const home = join(outer, "home");
  const project = join(outer, "an author's project");
  const state = join(outer, "state");
  mkdirSync(project);
  copyTranscripts(join(home, ".claude", "projects"));
  const hookline: Machine["hookline"] = (args, env) =>
    run([join(built, "dist/cli/bin.cjs"), ...args], project, {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      HOOKLINE_HOME: state,
      TZ: "UTC",
      ...env,
    });
  return {
    home,
    project,
    state,
    file(name, text) {
      const path = join(project, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    hookline,
    async replay(...args) {
      const { stdout, stderr, code } = await hookline(["replay", ...args, "--json"]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return JSON.parse(stdout) as ReplayReport;
    },
    files: () => readdirSync(outer, { recursive: true, encoding: "utf8" }).sort(),
    remove: () => rmSync(outer, { recursive: true, force: true }),
  };
}

/** A hooks file that answers some of the recorded calls. */
export const guard = app(`
app.preTool("Bash", { name: "no-touch" }, ({ input }: any) => /touch/.test(input.command) ? sdk.deny("No touching.") : undefined);
app.preTool("Bash", { name: "careful" }, ({ input }: any) => /^sleep/.test(input.command) ? sdk.ask("This waits.") : undefined);
app.preTool("Write", { name: "signed" }, ({ input }: any) => sdk.patchInput({ content: input.content + "signed" }));
app.onPrompt({ name: "no-please" }, ({ prompt }: any) => /forked/.test(prompt) ? sdk.block("No forks.") : undefined);
`);

/** Counts of an event whose answers changed nothing. */
export const unchanged = { inputsChanged: 0, outputsChanged: 0, contexts: 0 };

/** Each recorded folder as a project of its own. */
export function copyTranscripts(projects: string): void {
  const from = join(root, "test/fixtures/transcripts");
  for (const name of readdirSync(from).filter((name) => /^[a-z]/.test(name))) {
    cpSync(join(from, name), join(projects, `-home-dev-${name}`), { recursive: true });
  }
}

function run(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...words], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", fail);
    child.on("close", (code) =>
      done({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
  });
}
