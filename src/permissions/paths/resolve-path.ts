import { posix } from "node:path";
import type { PathFs } from "./path-fs.ts";

/** A path, looked at once: every name it goes by on the way, the last being the real one. */
export interface ResolvedPath {
  readonly given: string;
  /** As written, made absolute and normalised. */
  readonly written: string;
  readonly resolved: string;
  /** `written`, what each link made of it, and `resolved`. */
  readonly spellings: readonly string[];
  /** The links met, as absolute paths. */
  readonly links: readonly string[];
  readonly kind: "file" | "folder" | "missing" | "special" | "unreadable";
}

const mostLinks = 40;
export const longestPath = 4_096;

/** Why a path cannot be judged at all, or undefined. */
export function faultOf(path: unknown): string | undefined {
  if (typeof path !== "string") return "the path is not a text";
  if (path === "") return "the path is empty";
  if (path.includes("\0")) return "the path holds a NUL character";
  return path.length > longestPath ? `the path has more than ${longestPath} characters` : undefined;
}

export function resolvePath(given: string, cwd: string, fs: PathFs): ResolvedPath {
  const whole = posix.isAbsolute(given) ? given : `${cwd}/${given}`;
  const written = absolute(whole);
  const spellings = [written];
  const links: string[] = [];
  const pending = segmentsOf(whole).reverse();
  const done: string[] = [];
  let kind: ResolvedPath["kind"] = "folder";
  for (let segment = pending.pop(); segment !== undefined; segment = pending.pop()) {
    if (segment === ".") continue;
    if (segment === "..") {
      done.pop();
      // Back out of a name that does not exist yet: what follows may exist again, and be a link.
      if (kind === "missing") kind = "folder";
      continue;
    }
    done.push(segment);
    if (kind === "missing" || kind === "unreadable") continue;
    const path = `/${done.join("/")}`;
    const stat = fs.lstat(path);
    if (stat.kind !== "link") {
      kind = stat.kind;
      continue;
    }
    const target = fs.readlink(path);
    links.push(path);
    if (target === undefined || target === "" || links.length > mostLinks) {
      kind = "unreadable";
      continue;
    }
    done.pop();
    if (posix.isAbsolute(target)) done.length = 0;
    pending.push(...segmentsOf(target).reverse());
    spellings.push(absolute([...done, ...pending.toReversed()].join("/")));
    kind = "folder";
  }
  const resolved = `/${done.join("/")}`;
  spellings.push(resolved);
  return { given, written, resolved, spellings: [...new Set(spellings)], links, kind };
}

/** Absolute and normalised, without a slash at the end. */
function absolute(path: string): string {
  const normal = posix.normalize(`/${path}`).replace(/\/+$/, "").replace(/^\/+/, "/");
  return normal === "" ? "/" : normal;
}

export function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "");
}
