import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { runProcess } from "../../../exec/internal.ts";
import { controlFolders, type SearchPlace, searchMs, tooSlow } from "./list-files.ts";

/** One search of Grep. */
export interface GrepRequest {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly mode: "content" | "files_with_matches" | "count";
  readonly before: number;
  readonly after: number;
  readonly onlyMatching: boolean;
  /** Names to keep; with `!` in front, to leave out. */
  readonly globs: readonly string[];
  readonly type?: string;
}

/** One line of a result. A gap separates groups of lines that are not adjacent. */
export type GrepHit =
  | { readonly path: string; readonly line: number; readonly text: string; readonly matched: boolean }
  | { readonly path: string; readonly count: number }
  | { readonly path: string }
  | { readonly gap: true };

export type GrepResult = { readonly hits: readonly GrepHit[] } | { readonly error: string };

export async function searchWithRipgrep(rg: string, request: GrepRequest, place: SearchPlace): Promise<GrepResult> {
  const { root, env, signal } = place;
  const options = { cwd: root, env, signal, timeoutMs: searchMs, capBytes: 32 * 2 ** 20 };
  const { ended, stdout, stderr } = await runProcess({ form: "exec", file: rg, args: argsOf(request, place) }, options);
  if (ended.by === "timeout") return { error: tooSlow };
  if (ended.by === "not-started") return { error: ended.why };
  // 1 means no match. With 2 there may be matches although one file failed.
  if (ended.by === "exit" && ended.code === 2 && stdout.text === "") return { error: stderr.text.trim() };
  if (request.mode === "content") return { hits: linesIn(stdout.text) };
  if (request.mode === "count") {
    const counts = [...stdout.text.matchAll(/([^\0\r\n][^\0]*)\0(\d+)\r?\n/g)];
    return { hits: counts.map(([, path = "", count]) => ({ path: withoutDotSlash(path), count: Number(count) })) };
  }
  const paths = stdout.text.split("\0").filter(Boolean);
  return { hits: paths.map((path) => ({ path: withoutDotSlash(path) })) };
}

function argsOf(request: GrepRequest, { file }: SearchPlace): string[] {
  const { mode, before, after } = request;
  return [
    ...["--no-config", "--color", "never", "--no-heading", "--with-filename", "--null", "--sort", "path"],
    ...["--hidden", "--no-ignore-dot", "--no-ignore-parent", "--max-columns", "500", "--crlf"],
    ...controlFolders.flatMap((folder) => ["--glob", `!${folder}`]),
    ...(mode === "files_with_matches" ? ["--files-with-matches"] : mode === "count" ? ["--count"] : ["--line-number"]),
    ...(mode === "content" ? ["--before-context", `${before}`, "--after-context", `${after}`] : []),
    ...(mode === "content" && request.onlyMatching ? ["--only-matching"] : []),
    ...(request.ignoreCase ? ["--ignore-case"] : []),
    ...(request.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...request.globs.flatMap((glob) => ["--glob", glob]),
    ...(request.type === undefined ? [] : ["--type", request.type]),
    ...["--regexp", request.pattern, "--", file === undefined ? "./" : `./${file}`],
  ];
}

function linesIn(text: string): GrepHit[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.flatMap((line): GrepHit[] => {
    if (line === "--") return [{ gap: true }];
    const [, path = "", number = "0", sign = ":", rest = ""] = /^([^\0]*)\0(\d+)([:-])(.*)$/s.exec(line) ?? [];
    if (path === "") return [];
    return [{ path: withoutDotSlash(path), line: Number(number), text: rest, matched: sign === ":" }];
  });
}

function withoutDotSlash(path: string): string {
  return path.replace(/^\.\//, "");
}

/** The path of `rg`, if it is installed. Only absolute folders are searched: a project must not provide its own program. */
export async function findRipgrep(env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  for (const folder of (env["PATH"] ?? "").split(delimiter).filter(isAbsolute)) {
    const file = join(folder, process.platform === "win32" ? "rg.exe" : "rg");
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      // Not in this folder.
    }
  }
  return undefined;
}
