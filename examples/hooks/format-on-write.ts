// Formats the file the agent has just written, and tells the model when that changed it.
// app.include(formatOnWrite({ formatters: { ".py": ["ruff", "format"] } }));
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { type Blueprint, blueprint, context } from "hookline/sdk";

export interface FormatOnWriteOptions {
  /** By the end of a name, the longest that fits: a program and its words; the file comes last. No shell reads them. */
  readonly formatters?: Readonly<Record<string, readonly [program: string, ...words: string[]]>>;
}

const prettier = ["npx", "--no-install", "prettier", "--write"] as const;
const usual = Object.fromEntries([".ts", ".tsx", ".js", ".json", ".css", ".md"].map((end) => [end, prettier]));

export function formatOnWrite(given: FormatOnWriteOptions = {}): Blueprint {
  const part = blueprint("format-on-write", given, { formatters: "object" });
  const { formatters = usual } = given;
  // The past is formatted already.
  const when = (_: unknown, { replay }: { replay: boolean }) => !replay;
  const options = { name: "format-on-write", onFailure: "continue", when } as const;
  part.postTool(["Write", "Edit", "MultiEdit"], options, async ({ input }, { cwd, signal, log }) => {
    const file = resolve(cwd, input.file_path);
    const ends = Object.keys(formatters).filter((end) => file.endsWith(end));
    const formatter = formatters[ends.sort((a, b) => b.length - a.length)[0] ?? ""];
    if (formatter === undefined) return undefined;
    const [program, ...words] = formatter;
    const before = await readFile(file, "utf8");
    try {
      await promisify(execFile)(program, [...words, file], { cwd, signal });
    } catch (error) {
      // A missing program formats no file at all.
      if ((error as { code?: unknown }).code === "ENOENT") throw error;
      // Code that does not parse cannot be formatted; other checks report that to the model.
      log.info(`${program} gave up on ${input.file_path}`, { error: String(error) });
      return undefined;
    }
    if ((await readFile(file, "utf8")) === before) return undefined;
    return context(
      `${input.file_path} was formatted with ${program} after you wrote it. Read it again before you edit it.`,
    );
  });
  return part;
}
