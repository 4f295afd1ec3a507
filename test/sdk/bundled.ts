import { spawn } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { BuildRecord } from "../../src/sdk/load/build-cache.ts";
import { bundleOnce } from "./bundle-once.ts";

const root = resolve(import.meta.dirname, "../..");

/** The package as a hook process finds it: bundled from the sources of now, in a folder of its own. */
export interface BundledPackage {
  readonly folder: string;
  /** Where the author's project is; its name has a blank and a quote. */
  readonly project: string;
  /** Puts a file into the project and gives its path. */
  file(name: string, text: string): string;
  run(words: readonly string[], input: string | null, options?: RunOptions): Promise<Ran>;
  /** `run` of the same package without anything that npm brings along. */
  bare(): BundledPackage["run"];
  /** Whether the build of this hooks file starts as a script. */
  isScript(file: string): boolean;
  remove(): void;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Leaves standard input open after the payload. */
  readonly open?: boolean;
  /** Sends the payload in pieces of this many bytes. */
  readonly pieces?: number;
  /** More words for Node itself. */
  readonly node?: readonly string[];
}

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function bundlePackage(): Promise<BundledPackage> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "bundled-")));
  const project = join(folder, "an author's project");
  mkdirSync(project);
  cpSync(await bundleOnce(), join(folder, "package", "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(folder, "package", "package.json"));
  symlinkSync(join(root, "node_modules"), join(folder, "package", "node_modules"));
  const program = join(folder, "package", "dist/cli/bin.cjs");
  return {
    folder,
    project,
    file(name, text) {
      const path = join(project, name);
      writeFileSync(path, text);
      return path;
    },
    run: (words, input, options) => run([program, "run", ...words], input, { project, folder, ...options }),
    bare() {
      const parts = ["dist", "package.json"];
      for (const part of parts) cpSync(join(folder, "package", part), join(folder, "bare", part), { recursive: true });
      const words = [join(folder, "bare/dist/cli/bin.cjs"), "run"];
      return (given, input, options) => run([...words, ...given], input, { project, folder, ...options });
    },
    isScript(path) {
      const builds = join(folder, "state/builds");
      const names = readdirSync(builds).filter((name) => /^[0-9a-f]{16}\.json$/.test(name));
      const records = names.map((name) => JSON.parse(readFileSync(join(builds, name), "utf8")) as BuildRecord);
      return records.some(({ file, script }) => file === path && script !== null);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function run(
  words: readonly string[],
  input: string | null,
  { project, folder, env, open, pieces, node = [] }: RunOptions & { project: string; folder: string },
): Promise<Ran> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...node, ...words], {
      cwd: project,
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, HOOKLINE_HOME: join(folder, "state"), ...env },
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", fail);
    child.on("close", (code) =>
      done({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
    // A process that has its answer does not wait for the rest.
    child.stdin.on("error", () => undefined);
    void feed(child.stdin, input, open, pieces);
  });
}

async function feed(stdin: NodeJS.WritableStream, input: string | null, open = false, pieces?: number): Promise<void> {
  const bytes = Buffer.from(input ?? "");
  for (let at = 0; at < bytes.length; at += pieces ?? bytes.length) {
    stdin.write(bytes.subarray(at, at + (pieces ?? bytes.length)));
    if (pieces) await new Promise(setImmediate);
  }
  if (!open) stdin.end();
}
