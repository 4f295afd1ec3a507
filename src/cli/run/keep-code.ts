import { openState, replaceFile } from "../../files/internal.ts";
import type { UnkeptCode } from "../code-cache.ts";

/** Keeps what Node made of the program's text for the next start. Contract: never throws; without it a start only takes longer. */
export async function keepCode({ path, make }: UnkeptCode, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await openState(["builds"], { env });
    const code = make();
    await replaceFile(path, Buffer.concat([code, code]));
  } catch {
    // A full disk, or a folder that is not safely ours: those who cannot do without them say so.
  }
}
