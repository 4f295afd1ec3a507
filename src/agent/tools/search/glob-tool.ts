import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { ignoringErrors } from "../../../files/internal.ts";
import { inputSchema, objectSchema, plain } from "../json-schema.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import { asPathError, judgedPath, makeAbsolute } from "../tool-paths.ts";
import { compileGlob } from "./glob-match.ts";
import { byAge, shownPath } from "./grep-tool.ts";
import { listFiles, tooSlow } from "./list-files.ts";

const maxFiles = 100;

export const globTool: Tool = {
  name: "Glob",
  description:
    "Finds files by name: `**/*.ts`, `src/*.{js,ts}`. Returns up to 100 paths, the newest first, with ignored and hidden files.",
  readOnly: true,
  inputSchema: inputSchema(
    { pattern: { type: "string", description: "The pattern of the paths" } },
    { path: { type: "string", description: "The folder to search. Default: the current folder" } },
  ),
  responseSchema: objectSchema({
    durationMs: plain.number,
    numFiles: plain.number,
    filenames: plain.strings,
    truncated: plain.boolean,
  }),
  render(response) {
    const { filenames, truncated } = response as { filenames: readonly string[]; truncated: boolean };
    if (filenames.length === 0) return "No files found";
    const more = "(Results are truncated. Consider using a more specific path or pattern.)";
    return [...filenames, ...(truncated ? [more] : [])].join("\n");
  },
  expand: (input, context) => makeAbsolute(input, "path", context),
  run: ({ pattern, path }, context) =>
    glob(String(pattern), typeof path === "string" ? path : context.cwd(), context).catch(asPathError),
};

async function glob(given: string, folder: string, context: ToolContext): Promise<ToolResult> {
  const { env, signal } = context;
  const startedAt = context.now();
  const { base, pattern } = isAbsolute(given) ? splitAbsolutePattern(given) : { base: folder, pattern: given };
  const root = judgedPath(base, context);
  if (!(await ignoringErrors(["ENOENT", "ENOTDIR"], stat(root)))?.isDirectory()) {
    return toolError(`Directory does not exist: ${base}. Note: your current working directory is ${context.cwd()}.`);
  }
  const files = await listFiles({ root, env, signal }, "in");
  if (signal.aborted) return toolError("The search was interrupted.", true);
  if (files === undefined) return toolError(tooSlow);
  const fits = compileGlob(pattern);
  const readable = files.filter((path) => fits(path) && (context.mayRead?.(join(root, path)) ?? true));
  const first = (await byAge(root, readable)).slice(0, maxFiles);
  return toolSuccess({
    durationMs: Math.round(context.now() - startedAt),
    numFiles: first.length,
    filenames: first.map((path) => shownPath(join(root, path), context.cwd())),
    truncated: first.length < readable.length,
  });
}

/** An absolute pattern starts below the last folder before its first wildcard. */
function splitAbsolutePattern(given: string): { base: string; pattern: string } {
  const fixed = /^[^*?[{\\]*\//.exec(given)?.[0] ?? "/";
  return { base: fixed === "/" ? "/" : fixed.slice(0, -1), pattern: `./${given.slice(fixed.length)}` };
}
