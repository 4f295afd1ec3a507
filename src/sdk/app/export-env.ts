import { appendFile } from "node:fs/promises";
import { sdkProblem } from "./argument-checks.ts";

export type EnvExport = (name: string, value: string) => Promise<void>;

/** Appends one quoted export line to the host's env file. */
export async function exportEnv(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  value: string,
): Promise<void> {
  const file = env["CLAUDE_ENV_FILE"];
  if (!file) {
    throw sdkProblem("no-env-file", "The host sets no CLAUDE_ENV_FILE for this event, so no variable can be exported.");
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw sdkProblem("bad-variable", `"${name}" is not a valid name of an environment variable.`, { name });
  }
  await appendFile(file, `export ${name}='${value.replaceAll("'", "'\\''")}'\n`, { mode: 0o600 });
}
