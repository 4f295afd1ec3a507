import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Problem } from "../../protocol/index.ts";
import { buildFile } from "../../sdk/index.ts";
import type { Io } from "../command.ts";

/** Runs test files with Node's own runner and shows what it says. True when all of them pass. */
export async function runPrograms(files: readonly string[], io: Io): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "hookline-test-"));
  try {
    const built = await Promise.all(files.map(async (file, at) => mapped(file, join(folder, String(at)), io)));
    return await runNode(built, io);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A build that carries its map, so that the runner names the author's file and line. */
async function mapped(file: string, prefix: string, io: Io): Promise<string> {
  const built = await buildFile(file, io.env);
  if (built === file) return file;
  const [code, map] = await Promise.all([readFile(built, "utf8"), readFile(`${built}.map`)]);
  const copy = `${prefix}-${basename(file).replace(/\.\w+$/, "")}.mjs`;
  await writeFile(copy, `${code}\n//# sourceMappingURL=data:application/json;base64,${map.toString("base64")}\n`);
  return copy;
}

function runNode(files: readonly string[], io: Io): Promise<boolean> {
  // Inherited by none: a runner inside a runner would report to the outer one.
  const { NODE_TEST_CONTEXT: _outer, ...env } = io.env;
  const options = ["--enable-source-maps", "--test", "--test-reporter=spec"];
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [...options, ...files], {
      cwd: io.cwd,
      env: io.terminal.colour ? { ...env, FORCE_COLOR: "1" } : env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.on("data", (chunk: Buffer) => void io.out(chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => void io.err(chunk.toString()));
    child.on("error", (cause) =>
      fail(new Problem("cli/bad-input", `The tests could not be started: ${cause.message}`, { cause })),
    );
    child.on("close", (code) => done(code === 0));
  });
}
