import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "../../protocol/index.ts";

/** What an author is told of an error of their code. */
export interface Traced {
  /** The error's message with the place where it was thrown: `x is not a function (.claude/hooks.ts:3:7)`. */
  readonly message: string;
  /** The frames of the author's code and of packages, one per line. Absent when what was thrown has none. */
  readonly stack?: string;
}

/**
 * Contract: never throws. The place is that of the innermost frame outside Node and this package. Builds are mapped to the author's
 * file by `mapStacks`; the map is read only now.
 */
export function traced(error: unknown, cwd: string): Traced {
  const message = messageOf(error);
  const frames = framesOf(error).filter(({ path }) => !isOwn(path));
  const place = frames.find(({ path }) => !path.includes("/node_modules/")) ?? frames[0];
  if (place === undefined) return { message };
  const stack = frames
    .slice(0, mostFrames)
    .map(({ text, path, at }) => text.replace(`${path}:${at}`, shown(path, at, cwd)));
  return { message: `${message} (${shown(place.path, place.at, cwd)})`, stack: stack.join("\n") };
}

/** The same in one line, for those who have no use for the stack. */
export function tracedMessage(error: unknown, cwd: string = process.cwd()): string {
  return traced(error, cwd).message;
}

const mostFrames = 10;

/** One line of a stack. `at` is the line, and the column where it is known. */
export interface Frame {
  /** `at handler (/p/hooks.ts:3:7)`, with a path and not a URL. */
  readonly text: string;
  readonly path: string;
  readonly at: string;
}

/** The frames that are not inside Node, the innermost first. Contract: never throws. */
export function framesOf(error: unknown): readonly Frame[] {
  return stackOf(error)
    .split("\n")
    .flatMap((line) => {
      if (line.length > longestFrame || line.includes("node:")) return [];
      const [whole = "", scheme, path, at] = /(file:\/\/)?(\/.*?):(\d+(?::\d+)?)\)?$/.exec(line) ?? [];
      if (path === undefined || at === undefined) return [];
      const real = scheme ? pathOf(`file://${path}`) : path;
      if (real === undefined) return [];
      const text = line.slice(0, line.length - whole.length) + whole.replace(`${scheme ?? ""}${path}`, () => real);
      return [{ text: text.trim(), path: real, at }];
    });
}

/** Longer than a path can be; a longer line is text. */
const longestFrame = 5_000;

/** Undefined for a URL that is not one of a file, which an error may have in its stack. */
function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined; // encoded slashes, or a percent sign without digits
  }
}

/** Without the message, which may be long and hold anything. */
function stackOf(error: unknown): string {
  try {
    const { stack, message } = error as { stack?: unknown; message?: unknown };
    if (typeof stack !== "string") return "";
    const at = typeof message === "string" && message !== "" ? stack.indexOf(message) : -1;
    return at < 0 ? stack : stack.slice(0, at) + stack.slice(at + String(message).length);
  } catch {
    return ""; // nothing was thrown that has a stack, or its getter throws
  }
}

let ownFolder: string | undefined;

/** Whether a file is part of this package: what `hookline` does when an author calls it is not the author's place. */
function isOwn(path: string): boolean {
  ownFolder ??= /^(.*\/(?:dist|src)\/)/.exec(framesOf(new Error("here"))[0]?.path ?? "")?.[1] ?? "\0";
  return path.startsWith(ownFolder) && !/\.test\.[jt]s$/.test(path);
}

function shown(path: string, at: string, cwd: string): string {
  const short = relative(cwd, path);
  return `${short === "" || short.startsWith("..") || isAbsolute(short) ? path : short}:${at}`;
}
