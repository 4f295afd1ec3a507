import { readFileSync } from "node:fs";
import type { SourceMapping } from "node:module";
import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { attempt, messageOf, Problem } from "../../protocol/internal.ts";

/** An error of the author's code, as it is reported. */
export interface LocatedError {
  /** The error's message with the place where it was thrown: `x is not a function (.claude/hooks.ts:3:7)`. */
  readonly message: string;
  /** The frames of the author's code and of packages, one per line. Absent when what was thrown has none. */
  readonly stack?: string;
}

/**
 * Contract: never throws. The place is that of the innermost frame outside Node and this package. Builds are mapped to the author's
 * file by `mapStacks`; the map is read only now.
 */
export function locateError(error: unknown, cwd: string): LocatedError {
  const message = messageOf(error);
  const frames = framesOf(error).filter(({ path }) => !isOwn(path));
  const place = frames.find(({ path }) => !path.includes("/node_modules/")) ?? frames[0];
  if (place === undefined) return { message };
  const stack = frames
    .slice(0, mostFrames)
    .map(({ text, path, at }) => text.replace(`${path}:${at}`, displayPath(path, at, cwd)));
  return { message: `${message} (${displayPath(place.path, place.at, cwd)})`, stack: stack.join("\n") };
}

/** The same in one line, without the stack. */
export function errorWithLocation(error: unknown, cwd?: string): string {
  // The current directory may have been deleted.
  return locateError(error, cwd ?? attempt(() => process.cwd()) ?? "/").message;
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
      // It fails for encoded slashes, or a percent sign without digits: an error may have such a URL in its stack.
      const real = scheme ? attempt(() => fileURLToPath(`file://${path}`)) : path;
      if (real === undefined) return [];
      const text = line.slice(0, line.length - whole.length) + whole.replace(`${scheme ?? ""}${path}`, () => real);
      return [{ text: text.trim(), path: real, at }];
    });
}

/** Longer than a path can be; a longer line is text. */
const longestFrame = 5_000;

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

function displayPath(path: string, at: string, cwd: string): string {
  const short = relative(cwd, path);
  return `${short === "" || short.startsWith("..") || isAbsolute(short) ? path : short}:${at}`;
}

/** File, line and the first line of an error, for messages. Also the line of `file`, if it called what threw. */
export function firstErrorLine(error: unknown, file?: string): string {
  if (!(error instanceof Error)) return String(error);
  const first = `${error.name}: ${error.message.split("\n")[0]}`;
  const frames = framesOf(error);
  const place = frames[0];
  const caller = place?.path === file ? undefined : frames.find(({ path }) => path === file);
  const from = caller === undefined ? "" : ` (called at ${caller.path}:${lineOf(caller)})`;
  return place === undefined ? first : `${place.path}:${lineOf(place)}: ${first}${from}`;
}

/** A problem that our own code threw at the author's, with the place of the author's call. */
export function atCallSite(problem: Problem, file: string): Problem {
  return new Problem(problem.code, messageAtCallSite(problem, problem.about["callsOut"], file), {
    about: { ...problem.about, file },
    cause: problem,
  });
}

/** `callsOut`: a function that creates a blueprint passes on the options that its own caller got wrong. */
export function messageAtCallSite(error: Pick<Error, "message" | "stack">, callsOut: unknown, file: string): string {
  const callers = framesOf(error).filter(({ path }) => !isOwn(path));
  const caller = callers[Number(callsOut ?? 0)] ?? callers[0];
  return `${caller === undefined ? file : `${caller.path}:${lineOf(caller)}`}: ${error.message}`;
}

/** True for an error of the parser whose place Node keeps to itself. */
export function lacksLocation(error: unknown): boolean {
  return error instanceof SyntaxError && framesOf(error).length === 0;
}

function lineOf({ at }: Frame): string {
  return at.replace(/:.*/, "");
}

/**
 * Makes stack traces through a built file name the author's file and line. The map is read when a stack is first looked at:
 * most hook processes never look at one.
 */
export function mapStacks(output: string): void {
  let map: StackMap | undefined;
  const previous = Error.prepareStackTrace;
  const original = (site: NodeJS.CallSite): string => {
    const text = String(site);
    if (!text.includes(output)) return text;
    const [line, column] = [site.getLineNumber() ?? 1, site.getColumnNumber() ?? 1];
    map ??= readMap(output);
    const entry = map.findEntry(line - 1, column - 1);
    if (entry.originalSource === undefined) return text;
    const place = `${entry.originalSource}:${(entry.originalLine ?? 0) + 1}:${(entry.originalColumn ?? 0) + 1}`;
    return text.replace(`${site.getFileName()}:${line}:${column}`, () => place);
  };
  Error.prepareStackTrace = (error, sites) => {
    if (previous !== undefined && !sites.some((site) => String(site).includes(output))) return previous(error, sites);
    // As Node computes it: a stack can be captured for anything.
    const header = attempt(() => Error.prototype.toString.call(error)) ?? "<error>"; // its name or message throws
    return [header, ...sites.map((site) => `    at ${original(site)}`)].join("\n");
  };
}

/** `originalSource` is a URL. */
type StackMap = { findEntry(line: number, column: number): Partial<SourceMapping> };

function readMap(output: string): StackMap {
  // Not imported: a start that never fails does not need it.
  const { SourceMap } = process.getBuiltinModule("node:module");
  const map = attempt((): StackMap => new SourceMap(JSON.parse(readFileSync(`${output}.map`, "utf8"))) as never);
  // The build was pruned: the place in the built file is better than a stack that throws.
  return map ?? { findEntry: () => ({}) };
}
