import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Outcome } from "../protocol/index.ts";
import type { Attachment } from "./attachment.ts";
import { fireUnawaited } from "./fire.ts";
import type { Thread } from "./thread.ts";

/** The world around the conversation: the folder, its instructions, files that are watched. */
export interface Surroundings {
  /** Reads instructions and begins to watch. */
  begin(thread: Thread, started: Outcome): Promise<void>;
  /** The thread moves to another folder. */
  move(thread: Thread, folder: string): Promise<void>;
  /** Env files that hooks wrote, in order of writing. */
  envFiles(): Promise<readonly string[]>;
  /** A file was read or written. */
  touched(thread: Thread, path: string, notes: Attachment[]): Promise<void>;
  /** The model has forgotten the instructions. */
  afterCompaction(thread: Thread, started: Outcome): Promise<void>;
  /** What the model is told of it, as parts of the system prompt. */
  instructions(): readonly string[];
  end(): Promise<void>;
}

export function openSurroundings(envFolder: () => string): Surroundings {
  return {
    begin: async () => undefined,
    async move(thread, folder) {
      const before = thread.cwd;
      if (before === folder) return;
      thread.cwd = folder;
      fireUnawaited(thread, "CwdChanged", { old_cwd: before, new_cwd: folder }, () => undefined);
    },
    envFiles: () => filesByAge(envFolder()),
    touched: async () => undefined,
    afterCompaction: async () => undefined,
    instructions: () => [],
    end: async () => undefined,
  };
}

async function filesByAge(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(".sh")).map((name) => join(folder, name));
  const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })));
  return dated.sort((a, b) => a.at - b.at).map(({ file }) => file);
}
