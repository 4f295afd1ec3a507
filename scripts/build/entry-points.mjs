import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..", "..");

/** The entry points of the package by `exports` of package.json: `hookline/sdk` is `sdk/index`, below src/ as well as below dist/. */
export const entryPoints = Object.entries(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).exports).flatMap(
  ([key, target]) => (target.default === undefined ? [] : [entryPoint(key, target.default)]),
);

/** Entry points that may change in any minor version before 1.0. */
export const unstable = ["sessions", "usage", "agent", "models", "testing", "runner", "tasks/bullmq"].map(
  (path) => `hookline/${path}`,
);

function entryPoint(key, file) {
  return { name: key.replace(/^\./, "hookline"), path: file.replace(/^\.\/dist\/(.+)\.js$/, "$1") };
}
