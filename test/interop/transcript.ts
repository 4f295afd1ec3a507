import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { World } from "./world.ts";

/** One line of a transcript, as far as tests look at it. */
export interface Entry {
  readonly type: string;
  readonly attachment?: Attachment;
  readonly [field: string]: unknown;
}

/** What Claude Code notes about a hook. */
export interface Attachment {
  readonly type: string;
  readonly hookEvent?: string;
  readonly content?: string | readonly string[];
  readonly [field: string]: unknown;
}

/** The transcript that Claude Code wrote for a session; empty when it wrote none. */
export async function readTranscript(world: World, sessionId: string): Promise<Entry[]> {
  const projects = join(world.home, ".claude", "projects");
  const file = (await namesBelow(projects)).find((name) => name.endsWith(`${sessionId}.jsonl`));
  if (file === undefined) return [];
  const text = await readFile(join(projects, file), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry);
}

async function namesBelow(folder: string): Promise<string[]> {
  try {
    return await readdir(folder, { recursive: true });
  } catch (error) {
    // A run that was refused at once never made the folder.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
