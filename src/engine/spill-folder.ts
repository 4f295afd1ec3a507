import { createHash } from "node:crypto";
import { join } from "node:path";
import { statePath } from "../files/index.ts";
import type { World } from "./firing.ts";

/** The private folder for long texts and input files of a session. An id is never a path. */
export function spillFolder({ env, home }: World, sessionId: string): string {
  const name = createHash("sha256").update(sessionId).digest("hex").slice(0, 32);
  return join(statePath({ env, home }), "spill", name);
}
