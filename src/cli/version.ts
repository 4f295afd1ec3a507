import { readFileSync } from "node:fs";

/** The package's own version, read where it is needed so that there is one place to change it. */
export function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
