import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type HomeSource, openFolder, replaceFile, statePath } from "../files/internal.ts";

/** What a client told its status line that a session had cost: kept for those who want to compare. */
export function statuslineCosts(source: HomeSource): (session: string) => number | undefined {
  return (session) => {
    try {
      const value: unknown = JSON.parse(readFileSync(join(folderOf(source), nameOf(session)), "utf8"));
      if (typeof value !== "object" || value === null || !("costMicroUsd" in value)) return undefined;
      return typeof value.costMicroUsd === "number" ? value.costMicroUsd : undefined;
    } catch {
      // No status line has shown this session.
      return undefined;
    }
  };
}

export async function keepStatuslineCost(source: HomeSource, session: string, costMicroUsd: number): Promise<void> {
  if (statuslineCosts(source)(session) === costMicroUsd) return;
  await openFolder(folderOf(source));
  await replaceFile(join(folderOf(source), nameOf(session)), JSON.stringify({ session, costMicroUsd }));
}

function folderOf(source: HomeSource): string {
  return join(statePath(source), "usage", "statusline");
}

/** An id comes from outside: it never becomes a path. */
function nameOf(session: string): string {
  return `${createHash("sha256").update(session).digest("hex").slice(0, 24)}.json`;
}
