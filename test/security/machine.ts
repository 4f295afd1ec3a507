import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { dist } from "../../src/files/fixtures/programs.ts";

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A machine with nothing on it but a home, a project and the built program. Its paths are short enough for a socket. */
export interface Machine {
  readonly folder: string;
  readonly project: string;
  readonly home: string;
  readonly state: string;
  /** Runs a program under this mask for the modes of new files. */
  run(words: readonly string[], options?: { readonly umask?: string; readonly input?: string }): Promise<Ran>;
  hookline(...words: readonly string[]): Promise<Ran>;
}

export const hooklineProgram: readonly string[] = [process.execPath, join(dist, "cli", "bin.cjs")];

export function machine(): Machine {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "hm-")));
  const [project, home, state] = [join(folder, "project"), join(folder, "home"), join(folder, "state")];
  mkdirSync(join(project, "node_modules"), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(project, "package.json"), "{}");
  symlinkSync(dirname(dist), join(project, "node_modules", "hookline"));
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, HOOKLINE_HOME: state, NO_COLOR: "1" };
  const run: Machine["run"] = (words, { umask = "022", input = "" } = {}) =>
    new Promise((done, fail) => {
      const child = spawn("sh", ["-c", `umask ${umask}; exec "$@"`, "sh", ...words], { cwd: project, env });
      const [out, err]: [Buffer[], Buffer[]] = [[], []];
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
      child.on("error", fail);
      child.on("close", (code) =>
        done({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
      );
      child.stdin.on("error", () => undefined);
      child.stdin.end(input);
    });
  const hookline: Machine["hookline"] = (...words) => run([...hooklineProgram, ...words]);
  onTestFinished(async () => {
    for (const scope of ["project", "local", "user"]) await hookline("uninstall", "--scope", scope);
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, project, home, state, run, hookline };
}
