import { win32 } from "node:path";
import { isObject, Problem } from "../protocol/internal.ts";

/** Throws unless the context names absolute folders. JavaScript callers may omit one, and a guess would judge the call in the wrong folder. */
export function checkContext(
  context: { readonly cwd: string; readonly home: string; readonly projectRoot: string },
  caller: string,
): void {
  if (!isObject(context)) throw badCall(caller, "its context must be an object with cwd, home and projectRoot");
  for (const name of contextFolders) checkFolder(context[name], name, caller);
}

const contextFolders = ["cwd", "home", "projectRoot"] as const;

/** Throws unless the folder is an absolute path: relative to `""`, every path would count as inside. */
export function checkFolder(folder: unknown, name: string, caller: string): void {
  // `win32` accepts absolute paths of both kinds: Windows paths are also judged on other systems.
  if (typeof folder === "string" && win32.isAbsolute(folder)) return;
  throw badCall(caller, `${name} of its context must be an absolute path, ${describeValue(folder)}`);
}

/** Throws unless the value has `key`, as every result of the function `maker` does. */
export function checkReturnedBy(value: unknown, key: string, caller: string, what: string, maker: string): void {
  if (isObject(value) && value[key] !== undefined) return;
  throw badCall(caller, `${what} must be a result of ${maker}, ${describeValue(value)}`);
}

export function badCall(caller: string, why: string): Problem {
  return new Problem("permissions/bad-call", `${caller} cannot be called like this: ${why}.`, { about: { caller } });
}

function describeValue(value: unknown): string {
  if (value === undefined) return "it is missing";
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : Object.prototype.toString.call(value);
  return `not ${text}`;
}
