import { isAbsolute, join, relative, sep } from "node:path";
import { Problem } from "../../protocol/internal.ts";
import type { InstallScope } from "./install-places.ts";

/** Everything that an entry names, as absolute paths. */
export interface CallPlaces {
  readonly scope: InstallScope;
  /** The project's folder; not used in user scope. */
  readonly root: string;
  readonly hooksFile: string;
  readonly packageRoot: string;
  /** The client as a program of this machine, which an entry for other machines cannot name. */
  readonly compiledClient?: string | undefined;
  /** The Node to start for the `run` transport, unless the entry is for other machines too. */
  readonly node: string;
}

/** Program and arguments of a call, without what depends on the event. */
export interface HookCommands {
  readonly client: readonly string[];
  readonly run: readonly string[];
}

/** How settings write the project's folder. */
export const projectDir = "${CLAUDE_PROJECT_DIR}";

/** Contract: in project scope every path is written from the project's folder; a path outside it is a `Problem`. */
export function hookCommands(places: CallPlaces): HookCommands {
  const { scope, hooksFile, packageRoot, compiledClient, node } = places;
  const script = join(packageRoot, "client", "hookline-client");
  const program = written(join(packageRoot, "dist", "cli", "bin.cjs"), places);
  const file = written(hooksFile, places);
  return {
    client: [written(scope === "project" ? script : (compiledClient ?? script), places), file],
    run: [scope === "project" ? "node" : node, program, "run", file],
  };
}

function written(path: string, { scope, root }: CallPlaces): string {
  if (scope === "user") return path;
  const inside = relative(root, path);
  if (!/^\.\.(?:[\\/]|$)/.test(inside) && !isAbsolute(inside)) return [projectDir, ...inside.split(sep)].join("/");
  if (scope === "local") return path;
  const message = `${path} is outside ${root}, and an entry that others get with the project cannot name it. Use --scope local or --scope user.`;
  throw new Problem("install/outside-project", message, { about: { path, root } });
}

/**
 * Refuses when a call ends with any status but 0. Node keeps a status of its own when it runs out of memory, is killed, cannot be started or
 * does not find the program, and agents let the action go on at every status but 2.
 */
const refuseUnlessDone = `|| { s=$?; [ $s = 2 ] || echo "hookline: the hook's process ended with status $s" >&2; exit 2; }`;

const closing = ["sh", "-c", `"$@" ${refuseUnlessDone}`, "hookline"];

/** A call that refuses whatever becomes of its process. */
export function failClosedCommand(words: readonly string[]): readonly string[] {
  return [...closing, ...words];
}

/** The same as a line for a shell. */
export function failClosedLine(words: readonly string[]): string {
  return `${shellLine(words)} ${refuseUnlessDone}`;
}

/** Whether a call was made by `failClosedCommand`, or is a line for a shell with its own `|| exit 2`. */
export function isFailClosed(words: readonly string[]): boolean {
  return closing.every((word, index) => words[index] === word) || /\|\|[^|&]*\bexit 2\b/.test(words[0] ?? "");
}

/** The call inside. */
export function unwrapCommand(words: readonly string[]): readonly string[] {
  return closing.every((word, index) => words[index] === word) ? words.slice(closing.length) : words;
}

/** A call as one line for a shell, for hosts without `args`. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellQuote).join(" ");
}

export function shellQuote(word: string): string {
  if (word.startsWith(projectDir)) return `"$CLAUDE_PROJECT_DIR"${quoted(word.slice(projectDir.length))}`;
  return quoted(word);
}

function quoted(text: string): string {
  return /^[A-Za-z0-9_/.:=@%+,-]*$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
