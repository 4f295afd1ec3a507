import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { isInside, replaceFile } from "../../../files/internal.ts";
import { escapeJson, messageOf, Problem, plainLine } from "../../../protocol/internal.ts";
import { type ExportFormat, exportSession, type SessionPlace, sessionAt } from "../../../sessions/internal.ts";
import type { Command } from "../../command-line/command.ts";
import { optionTexts } from "../../options/option-values.ts";
import { jsonOption, namedSession, rootOption, warnTruncatedArchives } from "../../options/session-options.ts";

const formats: Readonly<Record<string, ExportFormat>> = {
  markdown: "markdown",
  md: "markdown",
  html: "html",
  json: "json",
};

export const command: Command = {
  usage: "[SESSION] [--format markdown|html|json] [--out FILE] [--subagents] [--thinking] [--results]",
  about: `Exports a session for sharing as Markdown, JSON or one self-contained HTML file without scripts.

Account data and environment files are never included. The default format is that of FILE's extension, else Markdown.`,
  mostArguments: 1,
  options: {
    format: { value: "FORMAT", about: "markdown, html or json" },
    out: { value: "FILE", about: "write to FILE instead of standard output" },
    force: { about: "replace FILE if it exists" },
    subagents: { about: "include subagents" },
    thinking: { about: "include thinking" },
    results: { about: "include tool results" },
    branch: { value: "UUID", about: "the branch that ends at this entry (default: the active branch)" },
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
    const format = formatFrom(call.flag("json") ? "json" : call.text("format"), file);
    if (file !== undefined && existsSync(file) && !call.flag("force")) {
      throw new Problem("cli/usage", `${file} already exists. Use --force to replace it.`);
    }
    if (file !== undefined && isTranscript(place, file)) {
      throw new Problem(
        "cli/usage",
        plainLine(`${file} is a transcript; an export cannot overwrite it. Choose another file.`),
      );
    }
    const session = sessionAt(place);
    const text = await exportSession(session, format, {
      agents: call.flag("subagents"),
      thinking: call.flag("thinking"),
      results: call.flag("results"),
      ...optionTexts(call, { leaf: "branch" }),
    });
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

function formatFrom(name: string | undefined, file: string | undefined): ExportFormat {
  const wanted = name ?? /\.(md|html|json)$/.exec(file ?? "")?.[1] ?? "markdown";
  const format = Object.hasOwn(formats, wanted) ? formats[wanted] : undefined;
  if (format !== undefined) return format;
  throw new Problem("cli/usage", `Unknown format "${wanted}". Use markdown, html or json.`);
}
