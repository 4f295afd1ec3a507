import { Problem } from "./problem.ts";

/**
 * What to say when an optional package could not be loaded: a `Problem` that names the package to install, or the error itself when the
 * package is there and something else went wrong.
 */
export function missingPackage(name: string, needed: string, cause: unknown): unknown {
  const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
  const named = String(message).includes(`'${name}'`) || String(message).includes(`"${name}"`);
  if (!named || (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND")) return cause;
  return new Problem(
    "package/missing",
    `${needed} needs the package ${name}, which is not installed. Install it with: npm install ${name}`,
    { about: { package: name }, cause },
  );
}
