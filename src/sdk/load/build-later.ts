import { fileURLToPath } from "node:url";
import { openState } from "../../files/index.ts";
import { startDetached } from "../start-detached.ts";

/** Has a file built by a process of its own, for the starts to come; nobody waits for it. Contract: never throws. */
export async function buildLater(file: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  try {
    const cwd = await openState(["builds"], { env });
    const program = fileURLToPath(new URL("./build-ahead.js", import.meta.url));
    await startDetached([program, file], { cwd, env, onError: () => undefined });
  } catch {
    // Without a folder of our own nothing can be kept; the file is imported as it is, as now.
  }
}
