import { createHash } from "node:crypto";
import { existsSync, lstatSync, realpathSync } from "node:fs";
import { readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  type HomeSource,
  ignoringErrors,
  openState,
  readRegularFile,
  sha256,
  statePath,
  tempName,
  unsafeReason,
} from "../../files/internal.ts";
import { attempt } from "../../protocol/internal.ts";
import type { InstalledApp } from "../drift/advice.ts";
import { projectDir } from "../plan/hook-command.ts";
import { ownHooks } from "../plan/own-entries.ts";

/** The client that the entries of an install reach. */
export interface ClientUse {
  /** The script of the package, or the program that was compiled from the C source next to it. */
  readonly form: "script" | "compiled";
  /** What does the work on this machine. `none`: the script runs every call in a process of Node, and the daemon is never used. */
  readonly program: "compiled" | "perl" | "none";
  /** Why it is the script. */
  readonly why?: string;
  /** The entries call the script, which starts the compiled client: they are the same on every machine. */
  readonly behindScript?: true;
}

/** The package whose client it is, and the user's own places. */
export interface ClientPlace {
  /** As entries would name the package: the program keeps its path. */
  readonly packageRoot: string;
  readonly home: HomeSource;
}

/** Where the script looks for Perl. */
export const perlPlaces: readonly string[] = ["/usr", "/usr/local", "/opt/homebrew", "/run/current-system/sw"].map(
  (folder) => `${folder}/bin/perl`,
);

/** What the script starts where there is no compiled client. */
export function scriptProgram(): "perl" | "none" {
  return perlPlaces.some((path) => existsSync(path)) ? "perl" : "none";
}

/** What the program is made of; the first is given to the compiler. */
export const clientSources: readonly [string, ...string[]] = [
  "hookline-client.c",
  "package.h",
  "checkout.h",
  "words.h",
  "in-process.h",
  "bytes.h",
];

/** The script of a package, which entries of every scope may call. */
export function shippedClient(packageRoot: string): string {
  return join(packageRoot, "client", "hookline-client");
}

/**
 * The path of the compiled program of this package, whether or not it exists: another version, source or place of the package is another program.
 * Undefined where there is nothing to compile, or nothing that would run.
 */
export function compiledClientPath({ packageRoot, home }: ClientPlace): string | undefined {
  const script = shippedClient(packageRoot);
  const sources = clientSources.map((name) => join(packageRoot, "client", name));
  if (process.platform === "win32" || ![script, ...sources].every((file) => existsSync(file))) return undefined;
  const hash = createHash("sha256");
  for (const part of [packageRoot, process.platform, process.arch]) hash.update(`${part}\0`);
  for (const file of [script, ...sources]) hash.update(readRegularFile(file)).update("\0");
  const name = `${clientVersion(packageRoot)}-${hash.digest("hex").slice(0, 16)}`;
  return join(clientFolder(home), name, "hookline-client");
}

/** Whether a path is that of a compiled client, of whatever package. */
export function isCompiledClientPath(path: string, home: HomeSource): boolean {
  return dirname(dirname(path)) === clientFolder(home) && path.endsWith("/hookline-client");
}

/** Whether it exists, only this user can have made it, and it is as it was compiled. */
export function isCompiled(program: string): boolean {
  const found = lstatSync(program, { throwIfNoEntry: false });
  if (found?.isFile() !== true || unsafeReason(found) !== undefined || (found.mode & 0o100) === 0) return false;
  const digest = attempt(() => readRegularFile(digestFile(program)).toString());
  return digest === sha256(readRegularFile(program));
}

/** Notes what the program consists of; `from` is where it is before it gets its name. */
export async function noteDigest(program: string, from: string = program): Promise<void> {
  await writeFile(digestFile(program), sha256(readRegularFile(from)), { mode: 0o600 });
}

function digestFile(program: string): string {
  return join(dirname(program), "sha256");
}

/** The program that the script of this package hands over to; undefined when it does the work itself. */
export function programBehindScript({ packageRoot, home }: ClientPlace): string | undefined {
  if (!existsSync(shippedClient(packageRoot))) return undefined;
  const found = linkedProgram({ packageRoot, home });
  return found !== undefined && isCompiled(found) ? found : undefined;
}

function linkedProgram({ packageRoot, home }: ClientPlace): string | undefined {
  const link = join(clientFolder(home), "at", scriptName(packageRoot));
  return existsSync(link) ? realpathSync(link) : undefined;
}

/** A compiled client that entries reach and that is not as it was compiled. */
export function damagedClient(app: InstalledApp, home: HomeSource): string | undefined {
  const path = clientPathIn(app)?.replaceAll(projectDir, app.places.root);
  if (path === undefined || !existsSync(path)) return undefined;
  const isDirect = isCompiledClientPath(path, home);
  const program = isDirect ? path : linkedProgram({ packageRoot: dirname(dirname(path)), home });
  return program === undefined || isCompiled(program) ? undefined : program;
}

/** The package that a compiled client belongs to; undefined when that is not known. */
export function packageOfClient(program: string): Promise<string | undefined> {
  return ignoringErrors(["ENOENT", "EINVAL", "ENOTDIR"], readlink(packageLink(program)));
}

/** The script looks for the program by its own path and version; the program looks for its package. */
export async function linkClient(program: string, { packageRoot, home }: ClientPlace): Promise<void> {
  const at = await openState(["client", "at"], home);
  await link(program, join(at, scriptName(packageRoot)));
  await link(packageRoot, packageLink(program));
}

/** The version that the script says it has: the program compares the two at every call. */
export function clientVersion(packageRoot: string): string {
  const script = shippedClient(packageRoot);
  const text = existsSync(script) ? readRegularFile(script).toString("utf8") : "";
  return /^hookline_version=([0-9A-Za-z.+-]+)$/m.exec(text)?.[1] ?? "unknown";
}

async function link(target: string, path: string): Promise<void> {
  if ((await ignoringErrors(["ENOENT", "EINVAL", "ENAMETOOLONG"], readlink(path))) === target) return;
  const temp = tempName(path);
  await symlink(target, temp);
  // A path may be longer than a name can be; then the script does without.
  await ignoringErrors(["ENAMETOOLONG"], rename(temp, path));
  await rm(temp, { force: true });
}

/** Where the script looks for the program: its version, the system and its own path. */
export function scriptName(packageRoot: string): string {
  const script = shippedClient(packageRoot).replaceAll("%", "%25").replaceAll("/", "%2F");
  const loader = basename(systemLoaders.find((path) => existsSync(path)) ?? "none");
  return `${clientVersion(packageRoot)}-${loader}${script}`;
}

/** What the script recognizes a system by: it starts only a program that was compiled on such a system. */
export const systemLoaders: readonly string[] = [
  "/lib64/ld-linux-x86-64.so.2",
  "/lib/ld-linux-aarch64.so.1",
  "/lib/ld-musl-x86_64.so.1",
  "/lib/ld-musl-aarch64.so.1",
  "/usr/lib/dyld",
];

function packageLink(program: string): string {
  return join(dirname(program), "package");
}

function clientFolder(home: HomeSource): string {
  return join(statePath(home), "client");
}

/** The client that entries call. */
export interface ClientInUse extends Omit<ClientUse, "why"> {
  /** As entries name it, from the root. */
  readonly path: string;
  /** A compiled client whose package has changed since: it hands every call to the script. */
  readonly stale: boolean;
}

/** Undefined when no entry calls the client, or the client it calls does not exist. */
export async function clientInUse(app: InstalledApp, home: HomeSource): Promise<ClientInUse | undefined> {
  const path = clientPathIn(app)?.replaceAll(projectDir, app.places.root);
  if (path === undefined) return undefined;
  if (isCompiledClientPath(path, home)) {
    if (!isCompiled(path)) return undefined;
    const packageRoot = await packageOfClient(path);
    const stale = packageRoot !== undefined && compiledClientPath({ packageRoot, home }) !== path;
    return { form: "compiled", program: stale ? scriptProgram() : "compiled", path, stale };
  }
  if (!existsSync(path)) return undefined;
  const handsOver = programBehindScript({ packageRoot: dirname(dirname(path)), home }) !== undefined;
  if (handsOver) return { form: "compiled", program: "compiled", behindScript: true, path, stale: false };
  return { form: "script", program: scriptProgram(), path, stale: false };
}

function clientPathIn({ entries, lock }: InstalledApp): string | undefined {
  const programs = entries.flatMap(ownHooks).map((hook) => {
    if (hook.type !== "command") return "";
    // A shell line must be the lock file's own; in any other line the end of an argument is unknown.
    return hook.args === undefined ? (lock?.command[0] ?? "") : hook.command;
  });
  return programs.find((program) => basename(program) === "hookline-client");
}
