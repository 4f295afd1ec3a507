import { Problem } from "../../protocol/index.ts";
import { badCall, checkFolder } from "../check-call.ts";
import { isWithin } from "./contain.ts";
import { type PathFs, realFs } from "./path-fs.ts";
import { faultOf, resolvePath } from "./resolve-path.ts";

export interface InsideContext {
  readonly cwd: string;
  readonly fs?: PathFs;
}

/**
 * The real path of `path`, if it lies in one of the roots; otherwise throws `path/outside`.
 * The caller names the roots: neither home nor the temp folder is one by itself.
 */
export function resolveInside(path: string, roots: readonly string[], context: InsideContext): string {
  checkFolder(context?.cwd, "cwd", "resolveInside");
  if (!Array.isArray(roots)) throw badCall("resolveInside", "its second argument must be a list of folders");
  const { cwd, fs = realFs } = context;
  const fault = faultOf(path);
  if (fault !== undefined) {
    throw new Problem("path/outside", `${fault}; give a path inside ${roots.join(" or ")}`, { about: { roots } });
  }
  const { resolved, kind } = resolvePath(path, cwd, fs);
  const real = roots.map((root) => resolvePath(root, cwd, fs).resolved);
  if (kind !== "unreadable" && real.some((root) => isWithin(resolved, root))) return resolved;
  const why = kind === "unreadable" ? "cannot be followed to its end" : `is ${resolved}`;
  throw new Problem("path/outside", `${path} ${why}, which is not inside ${roots.join(" or ")}`, {
    about: { path, resolved, roots },
  });
}
