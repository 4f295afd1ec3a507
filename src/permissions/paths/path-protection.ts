import { foldName, segmentsBelow, segmentsOf } from "./resolve-path.ts";

/** Folders that hold configuration which can name programs, at any depth. */
const folders = new Set(".claude .git .vscode .idea .husky .cargo .yarn .mvn .devcontainer .ssh".split(" "));

/** The same, where the folder's name alone would not say. */
const nested = [
  ".config/git",
  ".config/fish",
  ".config/hookline",
  ".github/hooks",
  ".github/workflows",
  "node_modules/.bin",
].map((path) => path.split("/"));

/** Files of git, shells, package managers, build tools and hook runners that can name programs. */
const files = new Set(
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

/** Why a path is protected, or undefined. Case, Unicode form and the tricks of other file systems never get round it. */
export function protectionOf(path: string, roots: readonly string[]): string | undefined {
  if (isOrdinary(path)) return undefined;
  const below = roots.map((root) => segmentsBelow(path, root)).filter((segments) => segments !== undefined);
  return (below.length > 0 ? below : [segmentsOf(path)]).map(protectedName).find((name) => name !== undefined);
}

/** The usual case, told at a glance: no name that begins with a dot or may hide one, and none of the files. */
function isOrdinary(path: string): boolean {
  return (
    /^(\/[\w@+,-][\w@+,. -]*)+$/.test(path) &&
    !/[. ](\/|$)/.test(path) &&
    !files.has(foldName(path.slice(path.lastIndexOf("/") + 1)))
  );
}

function protectedName(segments: readonly string[]): string | undefined {
  const names = segments.map(plainName);
  for (const [index, name] of names.entries()) {
    if (name === ".claude" && names[index + 1] === "worktrees") continue;
    if (folders.has(name)) return name;
    const pair = nested.find(([first, second]) => first === name && second === names[index + 1]);
    if (pair) return pair.join("/");
  }
  const last = names.at(-1);
  return last !== undefined && files.has(last) ? last : undefined;
}

/** The name as the most forgiving file system reads it: no case, no invisible letters, no stream, no dots or blanks at the end. */
function plainName(segment: string): string {
  const folded = foldName(segment.replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, ""));
  const name = folded.replace(/:.*$/s, "").replace(/[. ]+$/, "");
  const short = /^(git|claude|vscode|idea|husky|cargo|yarn|mvn|devcon)~\d$/.exec(name)?.[1];
  return short === undefined ? name || folded : short === "devcon" ? ".devcontainer" : `.${short}`;
}
