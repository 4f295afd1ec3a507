import { stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { runProcess } from "../../../exec/internal.ts";
import { ignoringErrors } from "../../../files/internal.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import { asPathError, judgedPath, makeAbsolute } from "../tool-paths.ts";
import { compileGlob } from "./glob-match.ts";
import { byAge, shownPath } from "./grep-tool.ts";
import { controlFolders, listFiles, tooSlow } from "./list-files.ts";
import { findRipgrep } from "./ripgrep.ts";

const maxFiles = 100;

interface GlobResponse {
  readonly filenames: readonly string[];
  readonly truncated: boolean;
}

export const globTool: Tool = {
  name: "Glob",
  description:
    "Finds files by name: `**/*.ts`, `src/*.{js,ts}`. Gives up to 100 paths, those changed last first, ignored and hidden files too.",
  readOnly: true,
  inputSchema: {
    type: "object",
    properties: {
      pattern: { type: "string", description: "The pattern of the paths" },
      path: { type: "string", description: "The folder to look in; the current one when left out" },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  responseSchema: {
    type: "object",
    required: ["durationMs", "numFiles", "filenames", "truncated"],
    properties: {
      durationMs: { type: "number" },
      numFiles: { type: "number" },
      filenames: { type: "array", items: { type: "string" } },
      truncated: { type: "boolean" },
    },
  },
  render(response) {
    const { filenames, truncated } = response as GlobResponse;
    if (filenames.length === 0) return "No files found";
    const more = "(Results are truncated. Consider using a more specific path or pattern.)";
    return [...filenames, ...(truncated ? [more] : [])].join("\n");
  },
  expand: (input, context) => makeAbsolute(input, "path", context),
  run: ({ pattern, path }, context) =>
    glob(String(pattern), typeof path === "string" ? path : context.cwd(), context).catch(asPathError),
};

async function glob(given: string, folder: string, context: ToolContext): Promise<ToolResult> {
  const startedAt = context.now();
  const { base, pattern } = isAbsolute(given) ? splitAbsolutePattern(given) : { base: folder, pattern: given };
  const root = judgedPath(base, context);
  if (!(await ignoringErrors(["ENOENT", "ENOTDIR"], stat(root)))?.isDirectory()) {
    return toolError(`Directory does not exist: ${base}. Note: your current working directory is ${context.cwd()}.`);
  }
  try {
    const fits = compileGlob(pattern);
    const found = (await filesIn(root, context)).filter(fits);
    const readable = found.filter((path) => context.mayRead?.(join(root, path)) ?? true);
    const first = (await byAge(root, readable)).slice(0, maxFiles);
    return toolSuccess(globTool, {
      durationMs: Math.round(context.now() - startedAt),
      numFiles: first.length,
      filenames: first.map((path) => shownPath(join(root, path), context.cwd())),
      truncated: first.length < readable.length,
    });
  } catch (error) {
    if (context.signal.aborted) return toolError("The search was interrupted.", true);
    if (error instanceof DOMException) return toolError(tooSlow);
    throw error;
  }
}

/** An absolute pattern starts below the last folder before its first wildcard. */
function splitAbsolutePattern(given: string): { base: string; pattern: string } {
  const fixed = /^[^*?[{\\]*\//.exec(given)?.[0] ?? "/";
  return { base: fixed === "/" ? "/" : fixed.slice(0, -1), pattern: `./${given.slice(fixed.length)}` };
}

async function filesIn(root: string, { env, signal }: ToolContext): Promise<readonly string[]> {
  const rg = await findRipgrep(env);
  if (rg === undefined) return listFiles({ root, env, signal, ignored: "in" });
  const out = controlFolders.flatMap((name) => ["--glob", `!${name}`]);
  const args = ["--no-config", "--files", "--hidden", "--no-ignore", "--null", ...out, "--", "./"];
  const options = { cwd: root, env, signal, timeoutMs: 20_000, capBytes: 64 * 2 ** 20 };
  const { stdout } = await runProcess({ form: "exec", file: rg, args }, options);
  return stdout.text
    .split("\0")
    .filter((path) => path !== "")
    .map((path) => path.replace(/^\.\//, ""));
}
