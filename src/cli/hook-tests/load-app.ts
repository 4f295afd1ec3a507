import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { handlersThatNeverRun, messageOf } from "../../protocol/internal.ts";
import { type AppWarning, appRuntime, loadApp } from "../../sdk/internal.ts";
import type { Io } from "../command-line/command.ts";

/** The app of a hooks file, in the shape the test client takes. */
export async function loadExport(file: string, io: Io): Promise<unknown> {
  const inside = await loadApp(file, { env: io.env, cwd: io.cwd });
  return { [Symbol.for("hookline.app")]: inside };
}

/** What is wrong with an app whatever it is asked: handlers that never run. */
export function appWarnings(app: unknown): readonly AppWarning[] {
  const described = appRuntime(app)?.describe() ?? [];
  return described
    .flatMap(({ event, ids }) => handlersThatNeverRun(event, ids))
    .map((message) => ({ code: "never-runs", message }));
}

/** The same for a hooks file that tests import by themselves. None when there is no such file. */
export async function fileWarnings(file: string, io: Io): Promise<readonly AppWarning[]> {
  if (!existsSync(resolve(io.cwd, file))) return [];
  try {
    return appWarnings(await loadExport(file, io));
  } catch (error) {
    return [{ code: "app-failed", message: messageOf(error) }];
  }
}

/** What an app prints while it is tried is no part of a JSON result: until `work` is done, stdout leads to stderr. */
export async function printsAside<Value>(work: () => Promise<Value>): Promise<Value> {
  const { stdout, stderr } = process;
  const own = stdout.write;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  try {
    return await work();
  } finally {
    stdout.write = own;
  }
}
