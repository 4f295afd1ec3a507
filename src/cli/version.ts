import { readFileSync } from "node:fs";

/** Written in by the bundler, since a bundled file does not know where package.json lies. */
declare const HOOKLINE_VERSION: string | undefined;

/** The package's own version, read where it is needed so that there is one place to change it. */
export function version(): string {
  if (typeof HOOKLINE_VERSION === "string") return HOOKLINE_VERSION;
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
