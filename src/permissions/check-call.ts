import { win32 } from "node:path";
import { isObject, Problem } from "../protocol/internal.ts";

/** A program without types may leave something out. Guessing would judge another place than the one the call is made in. */
export function checkPlace(
  context: { readonly cwd: string; readonly home: string; readonly projectRoot: string },
  caller: string,
): void {
  if (!isObject(context)) throw badCall(caller, "its context must be an object with cwd, home and projectRoot");
  for (const name of places) checkFolder(context[name], name, caller);
}

const places = ["cwd", "home", "projectRoot"] as const;

/** Below a relative folder every path of the disk would count as inside. */
export function checkFolder(folder: unknown, name: string, caller: string): void {
  // Absolute on any system: paths of Windows are judged on others too.
  if (typeof folder === "string" && win32.isAbsolute(folder)) return;
  throw badCall(caller, `${name} of its context must be an absolute path, ${found(folder)}`);
}

/** Throws unless the value is one that `maker` returns. */
export function checkMade(value: unknown, key: string, caller: string, what: string, maker: string): void {
  if (isObject(value) && value[key] !== undefined) return;
  throw badCall(caller, `${what} must be what ${maker} returns, ${found(value)}`);
}

export function badCall(caller: string, why: string): Problem {
  return new Problem("permissions/bad-call", `${caller} cannot be called like this: ${why}.`, { about: { caller } });
}

function found(value: unknown): string {
  if (value === undefined) return "it is missing";
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : Object.prototype.toString.call(value);
  return `not ${text}`;
}
