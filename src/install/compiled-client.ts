import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { chmod, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Finished, run } from "../exec/index.ts";
import { type HomeSource, openState, statePath, tempName, whyUnsafe } from "../files/index.ts";
import { findProgram } from "./package-place.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The package whose client it is, and the user's own places. */
export interface ClientPlace {
  /** As entries would name the package: the program keeps its path. */
  readonly packageRoot: string;
  readonly home: HomeSource;
}

export interface CompileOptions extends ClientPlace {
  readonly env: Env;
  readonly signal?: AbortSignal;
}

export type Compiled = { readonly program: string } | { readonly why: string };

const sources = ["hookline-client.c", "in-process.h", "bytes.h"];
/** Without the loader of shared libraries it starts sooner; not every system has what that takes. */
const linkings: readonly (readonly string[])[] = [["-static"], []];

/**
 * The client as a program of this machine, compiled at the first call: a shell takes longer to start than a warm call may take.
 * Contract: what is in its place is whole, was started once, and lies where this user alone may write. `why`: the script has to do.
 */
export async function compileClient({ packageRoot, home, env, signal }: CompileOptions): Promise<Compiled> {
  const program = compiledClientPath({ packageRoot, home });
  if (program === undefined) return { why: "this package has no source of the client for this system" };
  if (isCompiled(program)) return { program };
  const compiler = findCompiler(env);
  if (compiler === undefined) return { why: "there is no C compiler (cc) in PATH" };
  const folder = await openState(["client", nameOf(program)], home);
  const temp = tempName(program);
  const start = (file: string, args: readonly string[]) =>
    run(
      { form: "exec", file, args },
      { cwd: folder, env: fewOf(env), timeoutMs: 20_000, ...(signal === undefined ? {} : { signal }) },
    );
  let why = "";
  try {
    for (const linking of linkings) {
      const made = await start(compiler, [...compilerWords(packageRoot), ...linking, "-o", temp]);
      why = isEnd(made, 0) ? "" : `cc: ${said(made)}`;
      if (why !== "") continue;
      await chmod(temp, 0o700);
      const tried = await start(temp, []);
      why =
        isEnd(tried, 1) && tried.stderr.text.includes("takes one hooks file")
          ? ""
          : `it does not start: ${said(tried)}`;
      if (why === "") {
        await rename(temp, program);
        return { program };
      }
    }
    return { why };
  } finally {
    await rm(temp, { force: true });
  }
}

/** Where the program of this package lies, or would lie: another version, source or place of the package is another program. */
export function compiledClientPath({ packageRoot, home }: ClientPlace): string | undefined {
  const files = sources.map((name) => join(packageRoot, "client", name));
  if (process.platform === "win32" || !files.every((file) => existsSync(file))) return undefined;
  const hash = createHash("sha256");
  for (const part of [packageRoot, process.platform, process.arch]) hash.update(`${part}\0`);
  for (const file of files) hash.update(readFileSync(file)).update("\0");
  const name = `${versionOf(packageRoot)}-${hash.digest("hex").slice(0, 16)}`;
  return join(clientFolder(home), name, "hookline-client");
}

/** Whether a path is that of a compiled client, of whatever package. */
export function isCompiledClientPath(path: string, home: HomeSource): boolean {
  return path.startsWith(join(clientFolder(home), "/")) && path.endsWith("/hookline-client");
}

/** Whether it is there, and nobody else can have put it there. */
export function isCompiled(program: string): boolean {
  const found = lstatSync(program, { throwIfNoEntry: false });
  return found?.isFile() === true && whyUnsafe(found) === undefined && (found.mode & 0o100) !== 0;
}

/** Folders of packages are passed over: `npx` and `npm run` put those of the project in front. */
export function findCompiler(env: Env): string | undefined {
  return findProgram("cc", env, (folder) => !folder.split("/").includes("node_modules"));
}

function clientFolder(home: HomeSource): string {
  return join(statePath(home), "client");
}

function nameOf(program: string): string {
  return dirname(program).slice(dirname(dirname(program)).length + 1);
}

function compilerWords(packageRoot: string): readonly string[] {
  const client = join(packageRoot, "client");
  const defines = { VERSION: versionOf(packageRoot), CLIENT: client };
  return [
    "-std=c11",
    "-O2",
    ...Object.entries(defines).map(([name, value]) => `-D${name}=${literal(value)}`),
    join(client, "hookline-client.c"),
  ];
}

/** A text as C writes it, byte by byte where a sign could mean something. */
function literal(text: string): string {
  const bytes = [...Buffer.from(text)];
  const plain = /[A-Za-z0-9/._+-]/;
  const signs = bytes.map((byte) => {
    const sign = String.fromCharCode(byte);
    return plain.test(sign) ? sign : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `"${signs.join("")}"`;
}

/** The version that the script says it has: the program compares the two at every call. */
function versionOf(packageRoot: string): string {
  const script = readFileSync(join(packageRoot, "client", "hookline-client"), "utf8");
  return /^version=([0-9A-Za-z.+-]+)$/m.exec(script)?.[1] ?? "unknown";
}

/** What a compiler needs. Variables that change what it reads or calls stay out. */
function fewOf({ PATH, TMPDIR, HOME, SDKROOT, DEVELOPER_DIR }: Env): Env {
  return { PATH, TMPDIR, HOME, SDKROOT, DEVELOPER_DIR, LC_ALL: "C" };
}

function isEnd({ ended }: Finished, code: number): boolean {
  return ended.by === "exit" && ended.code === code;
}

function said({ ended, stderr }: Finished): string {
  const lines = stderr.text.split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => /error/i.test(line)) ?? lines[0] ?? JSON.stringify(ended);
}
