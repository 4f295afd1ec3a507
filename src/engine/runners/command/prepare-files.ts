import { messageOf } from "../../../protocol/index.ts";
import type { Ran } from "../../ran.ts";
import type { Soon } from "../../soon.ts";
import { spillFolder } from "../../spill-folder.ts";
import type { CommandJob } from "../command.ts";
import { envFilePath, writtenEnvFile } from "./env-file.ts";
import { inputFile, wantsInputFile } from "./input-file.ts";

export interface PreparedFiles {
  readonly variables: Readonly<Record<string, string>>;
  /** Takes the input file away and notes an env file that was written to. */
  readonly afterRun?: (ran: Ran) => Promise<Ran>;
}

/** The files a hook is given beside its stdin. Most hooks need none, and then nothing is touched. */
export function prepareFiles(job: CommandJob): Soon<PreparedFiles | { failed: string }> {
  const getsEnvFile = job.firing.row.special.envFile === true && job.hook.shell !== "powershell";
  const wantsInput = wantsInputFile(job.hook);
  return getsEnvFile || wantsInput ? makeFiles(job, getsEnvFile, wantsInput) : noFiles;
}

const noFiles: PreparedFiles = { variables: {} };

async function makeFiles(
  { configured, firing, services, limits }: CommandJob,
  getsEnvFile: boolean,
  wantsInput: boolean,
): Promise<PreparedFiles | { failed: string }> {
  const { row, payload } = firing;
  const sessionId = String(payload["session_id"]);
  try {
    const input = wantsInput ? await inputFile(limits.line, spillFolder(services.options, sessionId)) : undefined;
    const envFile = getsEnvFile
      ? await envFilePath(services.options.envFileRoot, sessionId, row.name, configured.order)
      : undefined;
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
