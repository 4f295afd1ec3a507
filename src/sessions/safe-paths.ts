import { realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { errorCode, isInside } from "../files/internal.ts";
import { mustBe, Problem, plainLine } from "../protocol/internal.ts";
import { checkArgument } from "./option-checks.ts";

/**
 * The real path of `path`. Throws `sessions/unsafe-id` when it leaves `root` by `..` or through a link. For a path that does not exist
 * yet, its nearest existing folder is resolved; a link to nothing is not followed.
 */
export async function realPathBelow(root: string, path: string): Promise<string> {
  const real = await realOrIntended(path);
  const realRoot = await realOrIntended(root);
  if (isInside(path, root) && isInside(real, realRoot)) return real;
  const message = plainLine(`${path} leads out of ${root}. Nothing was opened.`);
  throw new Problem("sessions/unsafe-id", message, { about: { path, root } });
}

async function realOrIntended(path: string): Promise<string> {
  const absolute = resolve(path);
  try {
    return await realpath(absolute);
  } catch (cause) {
    const parent = dirname(absolute);
    if (errorCode(cause) !== "ENOENT" || parent === absolute) throw cause;
    return join(await realOrIntended(parent), basename(absolute));
  }
}

export const uuidPattern: RegExp = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const deviceName = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i;

/** True when an id can be part of a path: a UUID, or a short plain name that is not a device name and has no "..". */
export function isSafeId(id: string): boolean {
  if (uuidPattern.test(id)) return true;
  return plainName.test(id) && !id.includes("..") && !deviceName.test(id);
}

/** Returns the id, or throws `sessions/unsafe-id`. */
export function safeId(id: string): string {
  checkArgument("id", id, mustBe.text);
  if (isSafeId(id)) return id;
  const shown = JSON.stringify(plainLine(id.length > 80 ? `${id.slice(0, 80)}…` : id));
  const message = `${shown} is not a session id. hookline sessions ls lists the ids.`;
  throw new Problem("sessions/unsafe-id", message, { about: { id } });
}
