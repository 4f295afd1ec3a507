import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ignoringErrorsSync } from "./disk.ts";

/** Written in by the build, since a host's bundle does not know where our package.json is. */
declare const HOOKLINE_VERSION: string | undefined;

/** The version of this package; "unknown" where its sources were bundled into something else. */
export function packageVersion(): string {
  return typeof HOOKLINE_VERSION === "string" ? HOOKLINE_VERSION : (ownPackage()?.version ?? "unknown");
}

/** A file or folder of this package by its path from the package's root, such as `dist/cli/bin.cjs`. */
export function packageFile(path = ""): string {
  const own = ownPackage();
  if (own === undefined) throw new Error("The files of the package hookline are missing: it was bundled.");
  return join(own.root, path);
}

/** True when the package is on npm. Until then it is installed from a clone or a tarball, and README and messages show that command. */
const isPublished: boolean = false;

/** The command that adds this package to a project, from the given path while it is not published. */
export function npmInstallCommand(path: string = packageFile()): string {
  const shown = /^[\w./-]+$/.test(path) ? path : `'${path}'`;
  return `npm install --save-dev ${isPublished ? "hookline" : shown}`;
}

interface OwnPackage {
  readonly root: string;
  readonly version: string;
}

let known: OwnPackage | undefined;

function ownPackage(): OwnPackage | undefined {
  known ??= packageAbove(dirname(fileURLToPath(import.meta.url)));
  return known;
}

function packageAbove(folder: string): OwnPackage | undefined {
  const text = ignoringErrorsSync(["ENOENT"], () => readFileSync(join(folder, "package.json"), "utf8"));
  const { name, version } = (JSON.parse(text ?? "{}") ?? {}) as { name?: string; version: string };
  if (name === "hookline") return { root: folder, version };
  return folder === dirname(folder) ? undefined : packageAbove(dirname(folder));
}
