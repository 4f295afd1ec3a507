import { win32 } from "node:path";
import {
  checkNamed,
  checkOf,
  closestName,
  isObject,
  mustBe,
  type OptionCheck,
  oneOfCheck,
  Problem,
  showValue,
} from "../protocol/internal.ts";

/**
 * Throws unless every key of the context is known and these folders are absolute. JavaScript callers may omit one, and a guess would
 * judge the call in the wrong folder; with a misspelled `attended` a question would wait for no user.
 */
export function checkContext(
  context: { readonly cwd: string; readonly home?: string; readonly projectRoot?: string },
  caller: string,
  folders: readonly ("cwd" | "home" | "projectRoot")[],
): void {
  if (!isObject(context)) throw badCall(caller, `its context must be an object with ${folders.join(", ")}`);
  checkNamed(`the context of ${caller}`, context, contextChecks, "permissions/bad-call");
  for (const name of folders) checkFolder(context[name], name, caller);
}

/** All functions take the context of `judge`, and need some of it. */
const contextChecks: Readonly<Record<string, OptionCheck | undefined>> = {
  cwd: undefined,
  home: undefined,
  projectRoot: undefined,
  directories: mustBe.textList,
  mode: mustBe.text,
  attended: mustBe.boolean,
  pathCase: oneOfCheck(["auto", "sensitive", "insensitive"]),
  shell: mustBe.text,
  envNames: checkOf("a list or a set", (value) => Array.isArray(value) || value instanceof Set),
  fs: mustBe.object,
  protectedFiles: checkOf("a list", Array.isArray),
  ownFiles: checkOf("a list", Array.isArray),
};

/** Throws unless layers have a scope and names are known: rules without a scope would have no precedence. */
export function checkRuleSources(layers: unknown, names: object, scopes: readonly string[]): void {
  if (!Array.isArray(layers) || !layers.every(isObject)) {
    throw badCall("compileRules", 'its first argument must be a list of layers, such as [{ scope: "user", deny: [] }]');
  }
  const layerChecks = {
    scope: oneOfCheck(scopes),
    trusted: mustBe.boolean,
    unreadable: mustBe.boolean,
    file: mustBe.text,
  };
  for (const [index, layer] of layers.entries()) {
    const { scope, trusted, unreadable, file } = layer;
    const near = scope === undefined ? closestName("scope", Object.keys(layer)) : undefined;
    if (near !== undefined) throw badCall("compileRules", `layer ${index} has no scope; "${near}" looks like it`);
    if (scope === undefined)
      throw badCall("compileRules", `layer ${index} has no scope; give it one of ${scopes.join(", ")}`);
    const given = { scope, trusted, unreadable, file };
    checkNamed(`layer ${index} of compileRules`, given, layerChecks, "permissions/bad-call");
  }
  const nameChecks = { kinds: mustBe.object, aliases: mustBe.object, mcpServers: mustBe.textList };
  checkNamed("the names of compileRules", names, nameChecks, "permissions/bad-call");
}

/** Throws unless the folder is an absolute path: relative to `""`, every path would count as inside. */
function checkFolder(folder: unknown, name: string, caller: string): void {
  // `win32` accepts absolute paths of both kinds: Windows paths are also judged on other systems.
  if (typeof folder === "string" && win32.isAbsolute(folder)) return;
  const rule = "must be an absolute path";
  if (folder === undefined) throw badCall(caller, `${name} is missing in its context; it ${rule}`);
  throw badCall(caller, `${name} of its context ${rule}, not ${showValue(folder)}`);
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
  return `not ${showValue(value)}`;
}
