import { segmentsOf } from "./resolve-path.ts";

/** The segments of `path` below `folder`, or undefined when it lies elsewhere. By segments, never by text. */
export function segmentsBelow(path: string, folder: string): readonly string[] | undefined {
  const [segments, base] = [segmentsOf(path), segmentsOf(folder)];
  return base.every((segment, index) => segments[index] === segment) ? segments.slice(base.length) : undefined;
}

export function isWithin(path: string, folder: string): boolean {
  return segmentsBelow(path, folder) !== undefined;
}

/** The worktree of a project in which a path lies, as a list of one or none: there `/x` of the project means the worktree's own `x` too. */
export function worktreeAround(path: string, project: string): readonly string[] {
  if (!path.includes("/worktrees/")) return [];
  const [first, second, name] = segmentsBelow(path, project) ?? [];
  const lies = first === ".claude" && second === "worktrees" && name !== undefined;
  return lies ? [`${project}/.claude/worktrees/${name}`] : [];
}
