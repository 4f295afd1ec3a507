import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { handlersThatNeverRun, messageOf } from "../../protocol/internal.ts";
import { type AppWarning, appRuntime, loadApp } from "../../sdk/internal.ts";
import type { Io } from "../command-line/command.ts";

/** Loads the app of a hooks file for the test client. */
export async function loadExport(file: string, io: Io): Promise<unknown> {
  const inside = await loadApp(file, { env: io.env, cwd: io.cwd });
  return { [Symbol.for("hookline.app")]: inside };
}

/** Warnings about handlers that never run. */
export function appWarnings(app: unknown): readonly AppWarning[] {
  const described = appRuntime(app)?.describe() ?? [];
  return described
    .flatMap(({ event, ids }) => handlersThatNeverRun(event, ids))
    .map((message) => ({ code: "never-runs", message }));
}

/** The warnings about a hooks file that tests import themselves; none when it does not exist. */
export async function fileWarnings(file: string, io: Io): Promise<readonly AppWarning[]> {
  if (!existsSync(resolve(io.cwd, file))) return [];
  try {
    return appWarnings(await loadExport(file, io));
  } catch (error) {
    return [{ code: "app-failed", message: messageOf(error) }];
  }
}

/** Redirects stdout to stderr until `work` is done, so that what an app prints is not mixed with a JSON result. */
export async function stdoutToStderr<Value>(work: () => Promise<Value>): Promise<Value> {
  const { stdout, stderr } = process;
  const { write } = stdout;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  try {
    return await work();
  } finally {
    stdout.write = write;
  }
}
