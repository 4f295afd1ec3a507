import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { Problem, plainLine } from "../protocol/index.ts";

/** True when `path` lies in `root` or is it, as text; links are not looked at. */
export function liesUnder(root: string, path: string): boolean {
  const way = relative(resolve(root), resolve(path));
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && resolve(way) !== way);
}

/**
 * The real path of `path`, or a `sessions/unsafe-id` problem when it leaves `root` by `..` or through a link. What does not
 * exist yet is judged by its nearest folder that does.
 */
export async function realInside(root: string, path: string): Promise<string> {
  const real = await realOrIntended(path);
  const realRoot = await realOrIntended(root);
  if (liesUnder(root, path) && liesUnder(realRoot, real)) return real;
  throw new Problem("sessions/unsafe-id", plainLine(`${path} leads out of ${root}. Nothing was opened.`), {
    about: { path, root },
  });
}

async function realOrIntended(path: string): Promise<string> {
  const whole = resolve(path);
  try {
    return await realpath(whole);
  } catch (cause) {
    const parent = dirname(whole);
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT" || parent === whole) throw cause;
    return join(await realOrIntended(parent), whole.slice(parent.length).replace(/^[\\/]+/, ""));
  }
}
