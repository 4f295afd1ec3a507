import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Which releases of Claude Code this repository was compared with, and when. */
interface Clients {
  readonly newest: string;
  readonly oldest: string;
  readonly proven: Readonly<Record<string, string>>;
}

export const clients: Clients = JSON.parse(readFileSync(join(import.meta.dirname, "clients.json"), "utf8"));

/** The release this run is about: `npm run test:interop -- --client VERSION`, by default the newest one proven. */
export const claudeCodeVersion = process.env["HOOKLINE_CLIENT_VERSION"] ?? clients.newest;

/** Releases from `from` on and before `before`; a missing end is open. */
export interface VersionRange {
  readonly from?: string;
  readonly before?: string;
}

export function isWithin(version: string, { from, before }: VersionRange): boolean {
  return (from === undefined || !isOlder(version, from)) && (before === undefined || isOlder(version, before));
}

function isOlder(version: string, other: string): boolean {
  const [a, b] = [numbersOf(version), numbersOf(other)];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbersOf(version: string): number[] {
  const numbers = version.split(".").map(Number);
  if (numbers.some(Number.isNaN)) throw new Error(`"${version}" is not a version such as ${clients.newest}`);
  return numbers;
}
