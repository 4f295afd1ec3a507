import { type CommandHook, messageOf } from "../../../protocol/index.ts";
import type { HookRun } from "../../fire.ts";
import type { Ran } from "../../ran.ts";
import { spillFolder } from "../../shorten.ts";
import type { Soon } from "../../soon.ts";
import { envFilePath, writtenEnvFile } from "./env-file.ts";
import { inputFile, wantsInputFile } from "./input-file.ts";

export interface PreparedFiles {
  readonly variables: Readonly<Record<string, string>>;
  /** Takes the input file away and notes an env file that was written to. */
  readonly afterRun?: (ran: Ran) => Promise<Ran>;
}

/** The files a hook gets besides its stdin. Most hooks need none, and then nothing is touched. */
export function prepareFiles(hook: CommandHook, run: HookRun): Soon<PreparedFiles | { failed: string }> {
  const getsEnvFile = run.event.row.special.envFile === true && hook.shell !== "powershell";
  const wantsInput = wantsInputFile(hook);
  return getsEnvFile || wantsInput ? makeFiles(run, getsEnvFile, wantsInput) : noFiles;
}

const noFiles: PreparedFiles = { variables: {} };

async function makeFiles(
  { event: { row, payload, services }, hook, line }: HookRun,
  getsEnvFile: boolean,
  wantsInput: boolean,
): Promise<PreparedFiles | { failed: string }> {
  const sessionId = String(payload["session_id"]);
  const { options } = services;
  try {
    const input = wantsInput ? await inputFile(line, spillFolder(options, sessionId)) : undefined;
    const envFile = getsEnvFile ? await envFilePath(options.envFileRoot, sessionId, row.name, hook.order) : undefined;
    return {
      variables: { ...input?.variables, ...(envFile === undefined ? {} : { CLAUDE_ENV_FILE: envFile }) },
      afterRun: async (ran) => {
        await input?.remove();
        const written = envFile === undefined ? undefined : await writtenEnvFile(envFile);
        return written === undefined ? ran : { ...ran, envFile: written };
      },
    };
  } catch (error) {
    return { failed: `its files could not be prepared: ${messageOf(error)}` };
  }
}
