import { isAbsolute, join, resolve } from "node:path";
import { resolveInside } from "../../permissions/internal.ts";
import { Problem, type ToolInput } from "../../protocol/internal.ts";
import { type ToolContext, type ToolError, toolError } from "./tool.ts";

/** An input with an absolute path in one of its fields: `~` is the home, and a relative path starts at the current folder. */
export function makeAbsolute(input: ToolInput, field: string, { cwd, env }: ToolContext): ToolInput {
  const path = input[field];
  if (typeof path !== "string" || isAbsolute(path)) return input;
  const home = path === "~" || path.startsWith("~/") ? env["HOME"] : undefined;
  return { ...input, [field]: home === undefined ? resolve(cwd(), path) : join(home, path.slice(1)) };
}

/**
 * The real path that a tool uses: the one that was judged, if there was one, so that both mean the same file.
 * Throws a `Problem` for an invalid path: a NUL, too many links.
 */
export function judgedPath(path: string, context: Pick<ToolContext, "cwd" | "judgedPaths">): string {
  return context.judgedPaths?.get(path) ?? resolveInside(path, ["/"], { cwd: context.cwd() });
}

/** An invalid path is the model's mistake; any other error is ours. */
export function asPathError(error: unknown): ToolError {
  if (error instanceof Problem) return toolError(error.message);
  throw error;
}
