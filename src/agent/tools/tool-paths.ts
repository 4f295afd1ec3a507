import { isAbsolute, join, resolve } from "node:path";
import { resolveInside } from "../../permissions/internal.ts";
import { Problem, type ToolInput } from "../../protocol/internal.ts";
import { type ToolContext, type ToolError, toolError } from "./tool.ts";

type Place = Pick<ToolContext, "cwd" | "env" | "judgedPaths">;

/** As meant: `~` is the home, anything relative starts at the current folder. */
export function absolutePath(path: string, { cwd, env }: Pick<Place, "cwd" | "env">): string {
  const home = env["HOME"];
  if (home !== undefined && (path === "~" || path.startsWith("~/"))) return join(home, path.slice(1));
  return isAbsolute(path) ? path : resolve(cwd(), path);
}

/** An input with the path in one of its fields made absolute. */
export function makeAbsolute(input: ToolInput, field: string, context: ToolContext): ToolInput {
  const path = input[field];
  return typeof path === "string" ? { ...input, [field]: absolutePath(path, context) } : input;
}

/**
 * The real path that a tool acts on: the one the judgement looked at, where there was one, so that both mean the same file.
 * Throws a `Problem` for an invalid path: a NUL, too many links.
 */
export function judgedPath(path: string, context: Place): string {
  return context.judgedPaths?.get(path) ?? resolveInside(path, ["/"], { cwd: context.cwd() });
}

/** An invalid path is the model's mistake; any other error is ours. */
export function asPathError(error: unknown): ToolError {
  if (error instanceof Problem) return toolError(error.message);
  throw error;
}
