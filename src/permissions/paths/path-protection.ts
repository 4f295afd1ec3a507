import { foldName, segmentsBelow, segmentsOf } from "./resolve-path.ts";

/** Folders with configuration that can name programs, at any depth. */
const protectedFolders = new Set(".claude .git .vscode .idea .husky .cargo .yarn .mvn .devcontainer .ssh".split(" "));

/** The same, for folders that only their parent identifies. */
const protectedSubfolders = [
  ".config/git",
  ".config/fish",
  ".config/hookline",
  ".github/hooks",
  ".github/workflows",
  "node_modules/.bin",
].map((path) => path.split("/"));

/** Files of git, shells, package managers, build tools and hook runners that can name programs. */
const protectedFiles = new Set(
  [
    ".gitlab-ci.yml .mise.toml .tool-versions",
    ".gitconfig .gitmodules .gitattributes .mcp.json .claude.json .devcontainer.json .envrc .ripgreprc .inputrc .netrc",
    ".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_env .profile .kshrc .cshrc .tcshrc",
    ".zshrc .zshenv .zprofile .zlogin .zlogout",
    ".npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs .pnp.cjs .pnp.loader.mjs bunfig.toml .bunfig.toml .pypirc .gemrc",
    ".bazelrc .bazelversion .bazeliskrc gradle-wrapper.properties maven-wrapper.properties",
    ".pre-commit-config.yaml .pre-commit-config.yml .lefthook.yml .lefthook.yaml lefthook.yml lefthook.yaml",
    "lefthook-local.yml lefthook-local.yaml .lintstagedrc .lintstagedrc.json .simple-git-hooks.json",
  ]
    .join(" ")
    .split(" "),
);

/** The protected name in a path, or undefined. Case, Unicode form and name aliases of other file systems do not circumvent it. */
export function protectionOf(path: string, roots: readonly string[]): string | undefined {
  if (isOrdinary(path)) return undefined;
  const below = roots.map((root) => segmentsBelow(path, root)).filter((segments) => segments !== undefined);
  return (below.length > 0 ? below : [segmentsOf(path)]).map(protectedName).find((name) => name !== undefined);
}

/** A fast check for the common case: no name begins with a dot or could hide one, and the last one is not a protected file. */
function isOrdinary(path: string): boolean {
  return (
    /^(\/[\w@+,-][\w@+,. -]*)+$/.test(path) &&
    !/[. ](\/|$)/.test(path) &&
    !protectedFiles.has(foldName(path.slice(path.lastIndexOf("/") + 1)))
  );
}

function protectedName(segments: readonly string[]): string | undefined {
  const names = segments.map(plainName);
  for (const [index, name] of names.entries()) {
    if (name === ".claude" && names[index + 1] === "worktrees") continue;
    if (protectedFolders.has(name)) return name;
    const pair = protectedSubfolders.find(([first, second]) => first === name && second === names[index + 1]);
    if (pair) return pair.join("/");
  }
  const last = names.at(-1);
  return last !== undefined && protectedFiles.has(last) ? last : undefined;
}

/** The name as the most lenient file system reads it: without case, invisible characters, stream, and trailing dots or blanks. */
function plainName(segment: string): string {
  const folded = foldName(segment.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, ""));
  const name = folded.replace(/:.*$/s, "").replace(/[. ]+$/, "");
  // The 8.3 alias that Windows gives a folder: `git~1` is `.git`.
  const alias = /^(git|claude|vscode|idea|husky|cargo|yarn|mvn|devcon)~\d$/.exec(name)?.[1];
  if (alias === undefined) return name || folded;
  return alias === "devcon" ? ".devcontainer" : `.${alias}`;
}
