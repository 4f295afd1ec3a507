import { readFileSync } from "node:fs";

/** Written in by the build, since a host's bundle does not know where our package.json is. */
declare const HOOKLINE_VERSION: string | undefined;

/** The package's own version. */
export function version(): string {
  if (typeof HOOKLINE_VERSION === "string") return HOOKLINE_VERSION;
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
