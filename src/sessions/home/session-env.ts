import { join } from "node:path";
import { look } from "../find/list-folder.ts";
import type { Root } from "../find/session-roots.ts";
import { realInside } from "../safe-paths.ts";
import { safeId } from "../session-id.ts";
import { readIfThere } from "./read-if-there.ts";

/** What a hook wrote for later shell calls: text to look at, never to run or to give away. */
export interface EnvFile {
  /** The event in lower case, as in the file's name. */
  readonly event: string;
  readonly index: number;
  readonly file: string;
  readonly text: string;
}

export async function loadSessionEnv(root: Root, sessionId: string): Promise<EnvFile[]> {
  const folder = await realInside(root.path, join(root.path, "session-env", safeId(sessionId)));
  const files: EnvFile[] = [];
  for (const { name, path, folder: isFolder } of await look(root.path, folder)) {
    const [, event, index] = /^([a-z]+)-hook-(\d+)\.sh$/.exec(name) ?? [];
    if (event === undefined || index === undefined || isFolder) continue;
    const text = (await readIfThere(path))?.toString("utf8");
    if (text !== undefined) files.push({ event, index: Number(index), file: path, text });
  }
  return files.sort((a, b) => (a.event === b.event ? a.index - b.index : a.event < b.event ? -1 : 1));
}

/** Names in a folder of the home that is listed and not opened, such as `plans` and `debug`. */
export async function listFolder(root: Root, name: "plans" | "debug"): Promise<string[]> {
  return (await look(root.path, join(root.path, name))).map(({ path }) => path);
}
