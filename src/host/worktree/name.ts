const longest = 64;

/** Why a name cannot be a worktree's: it becomes a folder and a branch. */
export function nameFault(name: string): string | undefined {
  const segments = name.split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) {
    return `Invalid worktree name "${name}": must not contain "." or ".." path segments`;
  }
  if (!segments.every((segment) => /^[A-Za-z0-9._-]+$/.test(segment))) {
    return `Invalid worktree name "${name}": each "/"-separated segment must be non-empty and contain only letters, digits, dots, underscores, and dashes`;
  }
  if (name.length > longest) return `Invalid worktree name "${name}": at most ${longest} characters`;
  // Git has rules of its own for branches.
  return /^[-.]|\.lock(?:\/|$)|\.\.|\.$|\/[-.]/.test(name)
    ? `Invalid worktree name "${name}": git does not take it`
    : undefined;
}
