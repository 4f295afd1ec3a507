import type { JsonSchema } from "../check-tool-input.ts";

export interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly output_mode?: "content" | "files_with_matches" | "count";
  readonly "-B"?: number;
  readonly "-A"?: number;
  readonly "-C"?: number;
  readonly context?: number;
  readonly "-n"?: boolean;
  readonly "-i"?: boolean;
  readonly "-o"?: boolean;
  readonly type?: string;
  readonly head_limit?: number;
  readonly offset?: number;
  readonly multiline?: boolean;
}

const lines = { type: "integer", minimum: 0, maximum: 1_000_000 };

export const grepInput: JsonSchema = {
  type: "object",
  properties: {
    pattern: { type: "string", description: "The regular expression to look for" },
    path: { type: "string", description: "A file or folder; the current folder when left out" },
    glob: { type: "string", description: "Which files, such as `*.ts` or `src/**/*.{js,ts}`" },
    output_mode: { type: "string", enum: ["content", "files_with_matches", "count"], description: "What is given" },
    "-B": { ...lines, description: "Lines before each match" },
    "-A": { ...lines, description: "Lines after each match" },
    "-C": { ...lines, description: "Lines around each match" },
    context: { ...lines, description: "Lines around each match" },
    "-n": { type: "boolean", description: "Line numbers, unless false" },
    "-i": { type: "boolean", description: "Do not tell capitals from small letters" },
    "-o": { type: "boolean", description: "Only the part of each line that matched" },
    type: { type: "string", description: "A kind of files: js, py, rust" },
    head_limit: { ...lines, description: "At most so many lines; 250 unless told, 0 for all" },
    offset: { ...lines, description: "Leave out so many lines first" },
    multiline: { type: "boolean", description: "Let a match go over several lines" },
  },
  required: ["pattern"],
  additionalProperties: false,
};

export const grepResponse: JsonSchema = {
  type: "object",
  required: ["numFiles", "filenames"],
  properties: {
    mode: { enum: ["content", "files_with_matches", "count"] },
    numFiles: { type: "number" },
    filenames: { type: "array", items: { type: "string" } },
    content: { type: "string" },
    numLines: { type: "number" },
    numMatches: { type: "number" },
    appliedLimit: { type: "number" },
    appliedOffset: { type: "number" },
  },
};

interface GrepResponse {
  readonly mode?: GrepInput["output_mode"];
  readonly numFiles: number;
  readonly filenames: readonly string[];
  readonly content?: string;
  readonly numMatches?: number;
  readonly appliedLimit?: number;
  readonly appliedOffset?: number;
}

export function renderGrep(response: unknown): string {
  const answer = response as GrepResponse;
  const { mode, numFiles, filenames, content = "", numMatches = 0 } = answer;
  const page = pageText(answer);
  if (mode === "content")
    return `${content || "No matches found"}${page === "" ? "" : `\n\n[Showing results with pagination = ${page}]`}`;
  if (mode === "count") {
    const total = `Found ${numMatches} total ${numMatches === 1 ? "occurrence" : "occurrences"} across ${numFiles} ${numFiles === 1 ? "file" : "files"}.`;
    return `${content || "No matches found"}\n\n${total}${page === "" ? "" : ` with pagination = ${page}`}`;
  }
  if (numFiles === 0) return "No files found";
  return `Found ${numFiles} ${numFiles === 1 ? "file" : "files"}${page === "" ? "" : ` ${page}`}\n${filenames.join("\n")}`;
}

function pageText({ appliedLimit, appliedOffset }: GrepResponse): string {
  return [
    ...(appliedLimit === undefined ? [] : [`limit: ${appliedLimit}`]),
    ...(appliedOffset === undefined ? [] : [`offset: ${appliedOffset}`]),
  ].join(", ");
}
