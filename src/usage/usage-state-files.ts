import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { errorCode, type HomeSource, openFolder, replaceFile, sha256, statePath } from "../files/internal.ts";
import { attempt, defined, fieldOf, isObject, isStringRecord, Problem, parseJson } from "../protocol/internal.ts";

/** What a user can set for all reports, in `usage.json` of the state folder. */
interface UsageSettings {
  /** A file of prices that come before the package's own; in the file, from the state folder unless absolute. */
  readonly prices?: string;
  /** Projects under other names: a directory, or the name of a folder of transcripts, to the name. */
  readonly projects?: Readonly<Record<string, string>>;
}

/** Throws `usage/settings` for a file that exists and cannot be used. */
export function readUsageSettings(source: HomeSource): UsageSettings {
  const folder = statePath(source);
  const path = join(folder, "usage.json");
  const value = jsonAt(path);
  if (value === undefined) return {};
  if (!isObject(value)) throw wrong(path, "it is not an object");
  const { prices, projects, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) throw wrong(path, `it has "${other}", and only "prices" and "projects" are known`);
  if (prices !== undefined && typeof prices !== "string") throw wrong(path, '"prices" is not the path of a file');
  if (projects !== undefined && !isStringRecord(projects)) throw wrong(path, '"projects" is not a map of names');
  return defined({ prices: prices === undefined ? undefined : resolve(folder, prices), projects });
}

/** Undefined when there is no such file. */
function jsonAt(path: string): unknown {
  try {
    // Some editors put a byte order mark before the text.
    return JSON.parse(readFileSync(path, "utf8").replace(/^\ufeff/, ""));
  } catch (cause) {
    // Settings are optional; settings that exist are used, or the report fails.
    if (errorCode(cause) === "ENOENT") return undefined;
    throw wrong(path, cause instanceof SyntaxError ? "it is not valid JSON" : "it cannot be read", cause);
  }
}

function wrong(path: string, why: string, cause?: unknown): Problem {
  const message = `${path} cannot be used: ${why}. Fix it or remove it.`;
  return new Problem("usage/settings", message, { about: { path }, cause });
}

/** The cost of a session as Claude Code passed it to its status line: kept for `usage session --reconcile`. */
export function statuslineCosts(source: HomeSource): (session: string) => number | undefined {
  return (session) => {
    // There is no file when no status line has shown this session.
    const text = attempt(() => readFileSync(costFile(source, session), "utf8")) ?? "";
    const cost = fieldOf(parseJson(text), "costMicroUsd");
    return typeof cost === "number" ? cost : undefined;
  };
}

export async function saveStatuslineCost(source: HomeSource, session: string, costMicroUsd: number): Promise<void> {
  if (statuslineCosts(source)(session) === costMicroUsd) return;
  const path = costFile(source, session);
  await openFolder(dirname(path));
  await replaceFile(path, JSON.stringify({ session, costMicroUsd }));
}

/** An id comes from outside: it never becomes a path. */
function costFile(source: HomeSource, session: string): string {
  return join(statePath(source), "usage", "statusline", `${sha256(session).slice(0, 24)}.json`);
}
