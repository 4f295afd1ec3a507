import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { runProcess } from "../../../exec/internal.ts";
import { controlFolders, type SearchAnswer, type SearchHit, type SearchWish, searchMs, tooSlow } from "./list-files.ts";

export interface SearchPlace {
  /** The folder that is searched. */
  readonly root: string;
  /** One file of it, when only that is meant. */
  readonly file?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

export async function searchWithRipgrep(rg: string, wish: SearchWish, place: SearchPlace): Promise<SearchAnswer> {
  const { root, env, signal } = place;
  const options = { cwd: root, env, signal, timeoutMs: searchMs, capBytes: 32 * 2 ** 20 };
  const { ended, stdout, stderr } = await runProcess({ form: "exec", file: rg, args: argsOf(wish, place) }, options);
  if (ended.by === "timeout") return { error: tooSlow };
  if (ended.by === "not-started") return { error: ended.why };
  // 1 means no match. With 2 there may be matches although one file failed.
  if (ended.by === "exit" && ended.code === 2 && stdout.text === "") return { error: stderr.text.trim() };
  return { hits: wish.mode === "content" ? linesIn(stdout.text) : pathsIn(stdout.text, wish) };
}

function argsOf(wish: SearchWish, { file }: SearchPlace): string[] {
  const { mode, before, after } = wish;
  return [
    ...["--no-config", "--color", "never", "--no-heading", "--with-filename", "--null", "--sort", "path"],
    ...["--hidden", "--no-ignore-dot", "--no-ignore-parent", "--max-columns", "500", "--crlf"],
    ...controlFolders.flatMap((folder) => ["--glob", `!${folder}`]),
    ...(mode === "files_with_matches" ? ["--files-with-matches"] : mode === "count" ? ["--count"] : ["--line-number"]),
    ...(mode === "content" ? ["--before-context", `${before}`, "--after-context", `${after}`] : []),
    ...(mode === "content" && wish.onlyMatching ? ["--only-matching"] : []),
    ...(wish.ignoreCase ? ["--ignore-case"] : []),
    ...(wish.multiline ? ["--multiline", "--multiline-dotall"] : []),
    ...wish.globs.flatMap((glob) => ["--glob", glob]),
    ...(wish.type === undefined ? [] : ["--type", wish.type]),
    ...["--regexp", wish.pattern, "--", file === undefined ? "./" : `./${file}`],
  ];
}

function linesIn(text: string): SearchHit[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines.flatMap((line): SearchHit[] => {
    if (line === "--") return [{ gap: true }];
    const [, path = "", number = "0", sign = ":", rest = ""] = /^([^\0]*)\0(\d+)([:-])(.*)$/s.exec(line) ?? [];
    if (path === "") return [];
    return [{ path: withoutDotSlash(path), line: Number(number), text: rest, matched: sign === ":" }];
  });
}

function pathsIn(text: string, { mode }: SearchWish): SearchHit[] {
  if (mode === "files_with_matches") {
    return text
      .split("\0")
      .filter((path) => path !== "")
      .map((path) => ({ path: withoutDotSlash(path) }));
  }
  return [...text.matchAll(/([^\0\r\n][^\0]*)\0(\d+)\r?\n/g)].map(([, path = "", count]) => ({
    path: withoutDotSlash(path),
    count: Number(count),
  }));
}

function withoutDotSlash(path: string): string {
  return path.replace(/^\.\//, "");
}

/** Where `rg` lies, when it does. Only folders with a whole path are looked into: the project must not slip in a program of its own. */
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
