import { chmod, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type FinishedProcess, runProcess } from "../../exec/internal.ts";
import { type Env, isStateInCheckout, openState, tempName } from "../../files/internal.ts";
import { defined, messageOf } from "../../protocol/internal.ts";
import {
  type ClientPlace,
  clientSources,
  clientVersion,
  compiledClientPath,
  isCompiled,
  linkClient,
  noteDigest,
} from "./compiled-client.ts";
import { findProgram } from "./find-package.ts";

export interface CompileOptions extends ClientPlace {
  readonly env: Env;
  /** Compiles nothing and returns the path that the program would have. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/** `why`: the reason to use the script instead. */
type CompileResult = { readonly program: string } | { readonly why: string };

/** Tried in order. A static program starts sooner, because no loader has to find shared libraries; not every system can link one. */
const linkModes: readonly (readonly string[])[] = [["-static"], []];

/**
 * The client as a program of this machine, compiled at the first call: a shell takes longer to start than a warm call may take.
 * Contract: never throws. The result is complete, was started once, and is in a folder that only this user may write.
 */
export async function compileClient(options: CompileOptions): Promise<CompileResult> {
  try {
    return await compiled(options);
  } catch (error) {
    return { why: messageOf(error) };
  }
}

async function compiled(options: CompileOptions): Promise<CompileResult> {
  const { packageRoot, home, env, dryRun = false } = options;
  if (env["HOOKLINE_CLIENT"] === "script") return { why: "HOOKLINE_CLIENT is script" };
  // A change of the checkout could replace the program.
  if (isStateInCheckout(home)) return { why: "the state directory is in a checkout (HOOKLINE_HOME)" };
  const program = compiledClientPath({ packageRoot, home });
  if (program === undefined) return { why: "the package has no source of it for this system" };
  if (!isCompiled(program)) {
    const compiler = findCompiler(env);
    if (compiler === undefined) return { why: "there is no C compiler (cc) in PATH" };
    const why = dryRun ? undefined : await make(program, compiler, options);
    if (why !== undefined) return { why };
  }
  if (!dryRun) await linkClient(program, { packageRoot, home });
  return { program };
}

/** Folders of packages are passed over: `npx` and `npm run` put those of the project in front. */
export function findCompiler(env: Env): string | undefined {
  return findProgram("cc", env, (folder) => !folder.split("/").includes("node_modules"));
}

/** Undefined when it is there. */
async function make(program: string, compiler: string, options: CompileOptions): Promise<string | undefined> {
  const { packageRoot, home, env, signal } = options;
  const cwd = await openState(["client", basename(dirname(program))], home);
  const temp = tempName(program);
  const start = (file: string, args: readonly string[]) =>
    runProcess({ form: "exec", file, args }, { cwd, env: compilerEnv(env), timeoutMs: 20_000, ...defined({ signal }) });
  let why: string | undefined;
  try {
    for (const linkMode of linkModes) {
      const made = await start(compiler, [...compilerArgs(packageRoot), ...linkMode, "-o", temp]);
      why = `cc: ${compilerError(made)}`;
      if (!isEnd(made, 0)) continue;
      await chmod(temp, 0o700);
      const tried = await start(temp, []);
      why = `it does not start: ${compilerError(tried)}`;
      if (!isEnd(tried, 1) || !tried.stderr.text.includes("takes one hooks file")) continue;
      await noteDigest(program, temp);
      await rename(temp, program);
      return undefined;
    }
    return why;
  } finally {
    await rm(temp, { force: true });
  }
}

function compilerArgs(packageRoot: string): readonly string[] {
  const client = join(packageRoot, "client");
  const defines = { VERSION: clientVersion(packageRoot), CLIENT: client };
  const given = Object.entries(defines).map(([name, value]) => `-D${name}=${literal(value)}`);
  return ["-std=c11", "-O2", ...given, join(client, clientSources[0])];
}

/** A text as C writes it, byte by byte where a sign could mean something. */
function literal(text: string): string {
  const signs = [...Buffer.from(text)].map((byte) => {
    const sign = String.fromCharCode(byte);
    return /[A-Za-z0-9/._+-]/.test(sign) ? sign : `\\${byte.toString(8).padStart(3, "0")}`;
  });
  return `"${signs.join("")}"`;
}

/** What a compiler needs. Variables that change what it reads or calls stay out. */
function compilerEnv({ PATH, TMPDIR, HOME, SDKROOT, DEVELOPER_DIR }: Env): Env {
  return { PATH, TMPDIR, HOME, SDKROOT, DEVELOPER_DIR, LC_ALL: "C" };
}

function isEnd({ ended }: FinishedProcess, code: number): boolean {
  return ended.by === "exit" && ended.code === code;
}

function compilerError({ ended, stderr }: FinishedProcess): string {
  const lines = stderr.text.split("\n").filter((line) => line.trim() !== "");
  return lines.find((line) => /error/i.test(line)) ?? lines[0] ?? JSON.stringify(ended);
}
