// Formats the file the agent has just written, and tells the model when that changed it.
// app.include(formatOnWrite({ formatters: { ".py": ["ruff", "format"] } }));
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { promisify } from "node:util";
import { type Blueprint, blueprint, context } from "hookline/sdk";

export interface FormatOnWriteOptions {
  /** By the end of a name: a program and its words; the file comes last. No shell reads them. */
  readonly formatters?: Readonly<Record<string, readonly [program: string, ...words: string[]]>>;
}

const prettier = ["npx", "--no-install", "prettier", "--write"] as const;
const usual = Object.fromEntries([".ts", ".tsx", ".js", ".json", ".css", ".md"].map((end) => [end, prettier]));

export function formatOnWrite({ formatters = usual }: FormatOnWriteOptions = {}): Blueprint {
  const part = blueprint("format-on-write");
  // The past is formatted already.
  const options = { name: "format-on-write", when: (_: unknown, { replay }: { replay: boolean }) => !replay };
  part.postTool(["Write", "Edit", "MultiEdit"], options, async ({ input }, { cwd, signal, log }) => {
    const formatter = formatters[extname(input.file_path)];
    if (formatter === undefined) return undefined;
    const [program, ...words] = formatter;
    const before = await readFile(input.file_path, "utf8");
    try {
      await promisify(execFile)(program, [...words, input.file_path], { cwd, signal });
    } catch (error) {
      // Code that does not parse cannot be formatted; the model will hear of that from somebody else.
      log.info(`${program} gave up on ${input.file_path}`, { error: String(error) });
      return undefined;
    }
    if ((await readFile(input.file_path, "utf8")) === before) return undefined;
    return context(
      `${input.file_path} was formatted with ${program} after you wrote it. Read it again before you edit it.`,
    );
  });
  return part;
}
