import { posix } from "node:path";
import type { ToolInput } from "../../protocol/index.ts";
import { faultOf } from "../paths/resolve-path.ts";
import { type Finding, strictest, unusable } from "./finding.ts";
import type { Desk } from "./judge-context.ts";
import { type Access, judgePath } from "./judge-path.ts";
import type { JudgedPart } from "./judgement.ts";
import { wholePart } from "./whole-part.ts";

/** A reading or editing tool: every path its input names, in every meaning it may have. */
export function judgeFiles(
  tool: string,
  kind: "read" | "edit",
  input: ToolInput,
  desk: Desk,
): { findings: readonly Finding[]; parts: readonly JudgedPart[] } {
  const access: Access = {
    writes: kind === "edit",
    shell: false,
    tools: kind === "edit" ? [tool, "Edit"] : [tool, "Read"],
  };
  const judged = pathsIn(tool, kind, input).map((given) => ({ given, finding: judgeGiven(given, access, desk) }));
  return {
    findings: judged.map(({ finding }) => finding),
    parts: judged.map(({ given, finding }) => wholePart({ kind: "path", text: String(given) }, finding, desk)),
  };
}

function judgeGiven(given: unknown, access: Access, desk: Desk): Finding {
  const fault = faultOf(given);
  if (fault !== undefined || typeof given !== "string") return unusable(fault ?? "the path is not a text");
  // Some programs drop blanks around a path, and read a leading tilde as home; others take both as part of a name.
  const written = [...new Set([given, given.trim() || given])];
  const readings = written.flatMap((path) =>
    path === "~" || path.startsWith("~/") ? [path, desk.context.home + path.slice(1)] : [path],
  );
  const paths = readings.map((path) => desk.resolve(path));
  desk.seen.push(...paths);
  return strictest(paths.map((path) => judgePath(path, access, desk))) ?? unusable("there is no path");
}

/** Every field that may name the file; a search without one is in the working directory. */
function pathsIn(tool: string, kind: "read" | "edit", input: ToolInput): unknown[] {
  const given = ["file_path", "path", "notebook_path"].filter(
    (field) => Object.hasOwn(input, field) && input[field] !== undefined,
  );
  const paths = given.map((field) => input[field]);
  const pattern = input["pattern"];
  // A file pattern may itself lead elsewhere.
  if (
    tool === "Glob" &&
    typeof pattern === "string" &&
    (posix.isAbsolute(pattern) || /(^|\/)\.\.(\/|$)|^~/.test(pattern))
  ) {
    paths.push(pattern.replace(/[^/]*[*?[{].*$/s, "") || "/");
  }
  if (paths.length > 0) return paths;
  return kind === "read" ? ["."] : [undefined];
}
