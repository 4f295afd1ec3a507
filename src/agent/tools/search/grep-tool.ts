import { stat } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { ignoringErrors } from "../../../files/internal.ts";
import { defined } from "../../../protocol/internal.ts";
import { inputSchema, objectSchema, plain, type SchemaValue } from "../json-schema.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import { asPathError, judgedPath, makeAbsolute } from "../tool-paths.ts";
import { searchBuiltIn } from "./built-in-search.ts";
import type { SearchPlace } from "./list-files.ts";
import { findRipgrep, type GrepHit, type GrepRequest, searchWithRipgrep } from "./ripgrep.ts";

const defaultLimit = 250;
const maxChars = 100_000;

const lineCount = { type: "integer", minimum: 0, maximum: 1_000_000 } as const;
const modes = ["content", "files_with_matches", "count"] as const;

const grepInput = inputSchema(
  { pattern: { type: "string", description: "The regular expression to search for" } },
  {
    path: { type: "string", description: "A file or folder. Default: the current folder" },
    glob: { type: "string", description: "Which files, such as `*.ts` or `src/**/*.{js,ts}`" },
    output_mode: { type: "string", enum: modes, description: "What to return" },
    "-B": { ...lineCount, description: "Lines before each match" },
    "-A": { ...lineCount, description: "Lines after each match" },
    "-C": { ...lineCount, description: "Lines around each match" },
    context: { ...lineCount, description: "Lines around each match" },
    "-n": { type: "boolean", description: "Line numbers, unless false" },
    "-i": { type: "boolean", description: "Ignore case" },
    "-o": { type: "boolean", description: "Only the part of each line that matched" },
    type: { type: "string", description: "A type of files: js, py, rust" },
    head_limit: { ...lineCount, description: "The most lines to return. Default: 250; 0 for all" },
    offset: { ...lineCount, description: "How many lines to skip first" },
    multiline: { type: "boolean", description: "Let a match span several lines" },
  },
);

type GrepInput = SchemaValue<typeof grepInput>;

const grepResponse = objectSchema(
  { numFiles: plain.number, filenames: plain.strings },
  {
    mode: { enum: modes },
    content: plain.string,
    numLines: plain.number,
    numMatches: plain.number,
    appliedLimit: plain.number,
    appliedOffset: plain.number,
  },
);

export const grepTool: Tool = {
  name: "Grep",
  description:
    "Searches the contents of files for a regular expression: the files with a match, the matching lines (`output_mode: content`), or their number (`count`). Files that the repository ignores are left out.",
  readOnly: true,
  inputSchema: grepInput,
  responseSchema: grepResponse,
  render: renderGrep,
  expand: (input, context) => makeAbsolute(input, "path", context),
  run: (input, context) => grep(input as GrepInput, context).catch(asPathError),
};

async function grep(input: GrepInput, context: ToolContext): Promise<ToolResult> {
  const place = await placeOf(input.path ?? context.cwd(), context);
  if (typeof place === "string") return toolError(place);
  const request = requestOf(input);
  const rg = await findRipgrep(context.env);
  const answer = await (rg === undefined ? searchBuiltIn(request, place) : searchWithRipgrep(rg, request, place));
  if (context.signal.aborted) return toolError("The search was interrupted.", true);
  if ("error" in answer) return toolError(answer.error);
  const hits = answer.hits.filter((hit) => "gap" in hit || (context.mayRead?.(join(place.root, hit.path)) ?? true));
  const show = (path: string) => shownPath(join(place.root, path), context.cwd());
  const { offset = 0, head_limit: limit = defaultLimit } = input;
  const paths = hits.flatMap((hit) => ("path" in hit ? hit.path : []));
  const lines =
    request.mode === "files_with_matches"
      ? (await byAge(place.root, paths)).map(show)
      : hits.map((hit) => lineOf(hit, show, input["-n"] ?? true));
  const end = limit === 0 ? lines.length : offset + limit;
  const page = lines.slice(offset, end);
  const applied = defined({
    appliedLimit: end < lines.length ? limit : undefined,
    appliedOffset: offset > 0 ? offset : undefined,
  });
  return toolSuccess(responseOf(request, page, hits, applied));
}

function responseOf({ mode }: GrepRequest, page: readonly string[], hits: readonly GrepHit[], applied: object): object {
  if (mode === "files_with_matches") return { mode, filenames: page, numFiles: page.length, ...applied };
  const content = truncateContent(page.join("\n"));
  if (mode === "content") return { mode, numFiles: 0, filenames: [], content, numLines: page.length, ...applied };
  const counts = hits.flatMap((hit) => ("count" in hit ? [hit.count] : []));
  const numMatches = counts.reduce((sum, count) => sum + count, 0);
  return { mode, numFiles: counts.length, filenames: [], content, numMatches, ...applied };
}

function lineOf(hit: GrepHit, show: (path: string) => string, numbers: boolean): string {
  if ("gap" in hit) return "--";
  if ("count" in hit) return `${show(hit.path)}:${hit.count}`;
  if (!("text" in hit)) return show(hit.path);
  const sign = hit.matched ? ":" : "-";
  return `${show(hit.path)}${sign}${numbers ? `${hit.line}${sign}` : ""}${hit.text}`;
}

/** Newest first; files of the same age by name. */
export async function byAge(root: string, paths: readonly string[]): Promise<string[]> {
  const aged = await Promise.all(
    paths.map(async (path) => ({ path, at: (await ignoringErrors(["ENOENT"], stat(join(root, path))))?.mtimeMs ?? 0 })),
  );
  return aged.sort((a, b) => b.at - a.at || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}

/** Paths inside the current folder are shown relative to it. */
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

function requestOf(input: GrepInput): GrepRequest {
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
    ...defined({ type: input.type }),
  };
}

/** Several are separated by blanks or commas; those in braces belong together. */
function globsOf(glob: string | undefined): string[] {
  if (glob === undefined) return [];
  return glob
    .split(/\s+/)
    .flatMap((part) => (part.includes("{") ? [part] : part.split(",")))
    .filter((part) => part !== "");
}

function truncateContent(text: string): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars)}\n[${text.length - maxChars} characters left out]`;
}

type GrepResponse = SchemaValue<typeof grepResponse>;

function renderGrep(response: unknown): string {
  const { mode, numFiles, filenames, content = "", numMatches = 0, ...applied } = response as GrepResponse;
  const { appliedLimit, appliedOffset } = applied;
  const page = [
    ...(appliedLimit === undefined ? [] : [`limit: ${appliedLimit}`]),
    ...(appliedOffset === undefined ? [] : [`offset: ${appliedOffset}`]),
  ].join(", ");
  if (mode === "content")
    return `${content || "No matches found"}${page && `\n\n[Showing results with pagination = ${page}]`}`;
  const files = `${numFiles} ${numFiles === 1 ? "file" : "files"}`;
  if (mode === "count") {
    const total = `Found ${numMatches} total ${numMatches === 1 ? "occurrence" : "occurrences"} across ${files}.`;
    return `${content || "No matches found"}\n\n${total}${page && ` with pagination = ${page}`}`;
  }
  return numFiles === 0 ? "No files found" : `Found ${files}${page && ` ${page}`}\n${filenames.join("\n")}`;
}
