import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Problem } from "../protocol/index.ts";
import type { SessionPlace } from "./formats/claude-code/locate.ts";
import { realInside } from "./inside.ts";
import { isSafeId } from "./session-id.ts";
import type { ToolCall } from "./tool-call.ts";

/**
 * The whole output of a tool where its line holds only the beginning. The path in the record is not believed: only a file of
 * that name in this session's own folder is opened, wherever the session lies now.
 */
export async function readSpilled({ root, folder, id }: SessionPlace, tool: ToolCall): Promise<string | undefined> {
  if (tool.spilled === undefined) return undefined;
  const name = basename(tool.spilled.path.replaceAll("\\", "/"));
  if (!isSafeId(name)) throw unsafe(tool.spilled.path);
  const home = join(folder, id, "tool-results");
  for (const file of [join(home, name), join(home, `${name}.gz`)]) {
    const real = await realInside(home, file);
    await realInside(root.path, real);
    const bytes = await readFile(real).catch(() => undefined);
    if (bytes !== undefined) return (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  }
  return undefined;
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
