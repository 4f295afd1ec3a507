import { basename, join } from "node:path";
import { Problem } from "../../protocol/index.ts";
import type { SessionPlace } from "../find/session-files.ts";
import type { ToolCall } from "../model/session-tool-call.ts";
import { realInside } from "../safe-paths.ts";
import { isSafeId } from "../session-id.ts";
import { readPart } from "./part-files.ts";

/**
 * The whole output of a tool where its line holds only the beginning. The path in the record is not believed: only a file of
 * that name in this session's own folder is opened, wherever the session lies now.
 */
export async function readSpilled({ root, folder, id }: SessionPlace, tool: ToolCall): Promise<string | undefined> {
  if (tool.spilled === undefined) return undefined;
  const name = basename(tool.spilled.path.replaceAll("\\", "/"));
  if (!isSafeId(name)) throw unsafe(tool.spilled.path);
  const home = join(folder, id);
  const file = `tool-results/${name}`;
  for (const path of [join(home, file), join(home, `${file}.gz`)]) {
    await realInside(root.path, await realInside(join(home, "tool-results"), path));
  }
  const bytes = readPart(home, file);
  return "why" in bytes ? undefined : bytes.toString("utf8");
}

function unsafe(path: string): Problem {
  return new Problem(
    "sessions/unsafe-id",
    `a record names ${JSON.stringify(path)} as its output. That is not a file of this session.`,
    {
      about: { path },
    },
  );
}
