import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { isInside, replaceFile } from "../../../files/internal.ts";
import { escapeJson, messageOf, Problem, plainLine } from "../../../protocol/internal.ts";
import { type ExportFormat, exportSession, type SessionPlace, sessionAt } from "../../../sessions/internal.ts";
import type { Command, ParsedCall } from "../../command-line/command.ts";
import { choice } from "../../options/option-values.ts";
import {
  contentOptions,
  includedContent,
  jsonOption,
  namedSession,
  rootOption,
  warnTruncatedArchives,
} from "../../options/session-options.ts";

export const command: Command = {
  usage: "[SESSION] [--format markdown|html|json] [--out FILE] [--subagents] [--thinking] [--results]",
  about: `Exports a session for sharing as Markdown, JSON or one self-contained HTML file without scripts.

Account data and environment files are never included. The default format is that of FILE's extension, else Markdown.`,
  mostArguments: 1,
  options: {
    format: { value: "FORMAT", about: "markdown, html or json" },
    out: { value: "FILE", about: "write to FILE instead of standard output" },
    force: { about: "replace FILE if it exists" },
    ...contentOptions,
    root: rootOption,
    json: { ...jsonOption, about: "same as --format json" },
  },
  aliases: { agents: "subagents" },
  examples: [
    "hookline sessions export last --results > session.md",
    "hookline sessions export 1a2b3c4d --out session.html --subagents",
  ],
  async run(call, io) {
    const place = await namedSession(call, io);
    const out = call.text("out");
    const file = out === undefined ? undefined : resolve(io.cwd, out);
    const format = call.flag("json") ? "json" : exportFormat(call, file);
    if (file !== undefined && existsSync(file) && !call.flag("force")) {
      throw new Problem("cli/usage", `${file} already exists. Use --force to replace it.`);
    }
    if (file !== undefined && isTranscript(place, file)) {
      const message = `${file} is a transcript; an export cannot overwrite it. Choose another file.`;
      throw new Problem("cli/usage", plainLine(message));
    }
    const session = sessionAt(place);
    const text = await exportSession(session, format, includedContent(call));
    await warnTruncatedArchives(await session.load(), io);
    if (file === undefined) await io.out(format === "json" ? escapeJson(text) : text);
    else {
      await replaceFile(file, text, { links: "through" }).catch((cause: unknown) => {
        throw new Problem("cli/usage", plainLine(`${file} cannot be written: ${messageOf(cause)}`), { cause });
      });
      await io.err(`${plainLine(file)}\n`);
    }
    return 0;
  },
};

function isTranscript({ root }: SessionPlace, file: string): boolean {
  if (!existsSync(file)) return false;
  const real = realpathSync(file);
  return /\.jsonl(?:\.gz)?$/.test(real) && isInside(real, join(realpathSync(root.path), "projects"));
}

function exportFormat(call: ParsedCall, file: string | undefined): ExportFormat {
  const named = choice(call, "format", ["markdown", "md", "html", "json"]) ?? /\.(html|json)$/.exec(file ?? "")?.[1];
  return named === "html" || named === "json" ? named : "markdown";
}
