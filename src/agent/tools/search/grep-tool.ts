import { stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { ignoringErrors } from "../../../files/internal.ts";
import type { ToolInput } from "../../../protocol/internal.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import { asPathError, judgedPath, makeAbsolute } from "../tool-paths.ts";
import { searchBuiltIn } from "./built-in-search.ts";
import { type GrepInput, grepInput, grepResponse, renderGrep } from "./grep-schema.ts";
import type { SearchHit, SearchWish } from "./list-files.ts";
import { findRipgrep, type SearchPlace, searchWithRipgrep } from "./ripgrep.ts";

const limitUnlessTold = 250;
const maxChars = 100_000;

export const grepTool: Tool = {
  name: "Grep",
  description:
    "Searches the contents of files for a regular expression: the files with a match, the matching lines (`output_mode: content`), or how many there are (`count`). What the repository ignores is left out.",
  readOnly: true,
  inputSchema: grepInput,
  responseSchema: grepResponse,
  render: renderGrep,
  expand: (input, context) => makeAbsolute(input, "path", context),
  run: (input, context) => grep(readInput(input), context).catch(asPathError),
};

async function grep(input: GrepInput, context: ToolContext): Promise<ToolResult> {
  const place = await placeOf(input.path ?? context.cwd(), context);
  if (typeof place === "string") return toolError(place);
  const wish = wishOf(input);
  const rg = await findRipgrep(context.env);
  const answer = await (rg === undefined ? searchBuiltIn(wish, place) : searchWithRipgrep(rg, wish, place));
  if (context.signal.aborted) return toolError("The search was interrupted.", true);
  if ("error" in answer) return toolError(answer.error);
  const hits = answer.hits.filter((hit) => "gap" in hit || (context.mayRead?.(join(place.root, hit.path)) ?? true));
  const show = (path: string) => shownPath(join(place.root, path), context.cwd());
  const { offset = 0, head_limit: limit = limitUnlessTold } = input;
  const lines = await linesOf(wish, hits, place.root, show, input["-n"] ?? true);
  const end = limit === 0 ? lines.length : offset + limit;
  const page = lines.slice(offset, end);
  const applied = {
    ...(end < lines.length ? { appliedLimit: limit } : {}),
    ...(offset > 0 ? { appliedOffset: offset } : {}),
  };
  return toolSuccess(grepTool, responseOf(wish, page, hits, applied));
}

function responseOf(wish: SearchWish, page: readonly string[], hits: readonly SearchHit[], applied: object): object {
  const { mode } = wish;
  if (mode === "files_with_matches") return { mode, filenames: page, numFiles: page.length, ...applied };
  const content = cut(page.join("\n"));
  if (mode === "content") {
    return { mode, numFiles: 0, filenames: [], content, numLines: page.length, ...applied };
  }
  const counts = hits.flatMap((hit) => ("count" in hit ? [hit.count] : []));
  const numMatches = counts.reduce((sum, count) => sum + count, 0);
  return { mode, numFiles: counts.length, filenames: [], content, numMatches, ...applied };
}

async function linesOf(
  { mode }: SearchWish,
  hits: readonly SearchHit[],
  root: string,
  show: (path: string) => string,
  numbers: boolean,
): Promise<string[]> {
  if (mode === "files_with_matches") {
    const paths = hits.flatMap((hit) => ("path" in hit ? [hit.path] : []));
    return (await byAge(root, paths)).map(show);
  }
  return hits.map((hit) => {
    if ("gap" in hit) return "--";
    if ("count" in hit) return `${show(hit.path)}:${hit.count}`;
    if (!("text" in hit)) return show(hit.path);
    const sign = hit.matched ? ":" : "-";
    return `${show(hit.path)}${sign}${numbers ? `${hit.line}${sign}` : ""}${hit.text}`;
  });
}

/** What was changed last comes first; of one age, by name. */
export async function byAge(root: string, paths: readonly string[]): Promise<string[]> {
  const aged = await Promise.all(
    paths.map(async (path) => ({ path, at: (await ignoringErrors(["ENOENT"], stat(join(root, path))))?.mtimeMs ?? 0 })),
  );
  return aged.sort((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}

/** Below the current folder a path is shown from there. */
export function shownPath(path: string, cwd: string): string {
  const way = relative(cwd, path);
  return way === "" || way.startsWith("..") ? path : way;
}

async function placeOf(path: string, context: ToolContext): Promise<SearchPlace | string> {
  const real = judgedPath(path, context);
  const found = await ignoringErrors(["ENOENT", "ENOTDIR"], stat(real));
  const { env, signal } = context;
  if (found?.isDirectory()) return { root: real, env, signal };
  if (found?.isFile()) return { root: dirname(real), file: basename(real), env, signal };
  return `Path does not exist: ${path}. Note: your current working directory is ${context.cwd()}.`;
}

function wishOf(input: GrepInput): SearchWish {
  const around = input["-C"] ?? input.context ?? 0;
  return {
    pattern: input.pattern,
    ignoreCase: input["-i"] ?? false,
    multiline: input.multiline ?? false,
    mode: input.output_mode ?? "files_with_matches",
    before: input["-B"] ?? around,
    after: input["-A"] ?? around,
    onlyMatching: input["-o"] ?? false,
    globs: globsOf(input.glob),
    ...(input.type === undefined ? {} : { type: input.type }),
  };
}

/** Several may be given, apart by blanks or commas; those in braces belong together. */
function globsOf(glob: string | undefined): string[] {
  if (glob === undefined) return [];
  return glob
    .split(/\s+/)
    .flatMap((part) => (part.includes("{") ? [part] : part.split(",")))
    .filter((part) => part !== "");
}

function cut(text: string): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}\n[${text.length - maxChars} characters left out]`;
}

function readInput(input: ToolInput): GrepInput {
  return input as unknown as GrepInput;
}
