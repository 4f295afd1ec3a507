import { join } from "node:path";
import { ensureFolder, openFolder } from "../../../files/internal.ts";
import { escapeControls } from "../../../protocol/internal.ts";
import { forkSession, type SessionPlace, storeRoot } from "../../../sessions/internal.ts";
import type { Command, Io } from "../../command-line/command.ts";
import { optionTexts } from "../../options/option-values.ts";
import { namedSession, sessionOptions } from "../../options/session-options.ts";
import { jsonText } from "../../print/terminal.ts";

export const command: Command = {
  usage: "[SESSION] [--at UUID] [--json]",
  about: `Copies a session, whole or up to one entry, into a new one. The original is not changed.

The new session is stored next to the original, where Claude Code finds it (claude --resume ID). A session that exists only in the archive
is copied into Hookline's own store.`,
  mostArguments: 1,
  options: {
    at: { value: "UUID", about: "last entry to copy; show --raw prints the ids" },
    ...sessionOptions,
  },
  examples: [
    "hookline sessions fork last",
    "hookline sessions fork 1a2b3c4d --at 5e6f7081-92a3-4b4c-8d5e-6f708192a3b4",
  ],
  async run(call, io) {
    const source = await namedSession(call, io);
    const into = source.root.origin === "archive" ? await storePlace(source, io) : source;
    const fork = await forkSession(source, { into, ...optionTexts(call, { at: "at" }) });
    const object = { session: fork.id, file: fork.file, forkedFrom: source.id };
    await io.out(call.flag("json") ? jsonText(object) : `${fork.id}\n${escapeControls(fork.file)}\n`);
    return 0;
  },
};

async function storePlace(source: SessionPlace, io: Io): Promise<Pick<SessionPlace, "root" | "project" | "folder">> {
  const root = storeRoot({ env: io.env, home: io.home });
  const folder = join(root.path, "projects", source.project);
  await openFolder(root.path);
  await ensureFolder(folder);
  return { root, project: source.project, folder };
}
