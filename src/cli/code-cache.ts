import { lstatSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { isStateFolderSafe, openState, replaceFile, statePath, unsafeReason } from "../files/internal.ts";
import type { begin } from "./program.ts";

/** The hash of the program's text, put in when the package is bundled. */
declare const HOOKLINE_PROGRAM: string;

type Env = Readonly<Record<string, string | undefined>>;

/** What the program's text gives. */
type Run = (module: { exports: { begin: typeof begin } }, load: (module: string) => Promise<unknown>) => void;

/** What Node made of the program's text in this process, when no earlier one has kept it. */
export interface UnkeptCode {
  /** Where the next start looks. */
  readonly path: string;
  make(): Buffer;
}

/**
 * The program, with what was made of its text at an earlier start: to compile it is half of what a hook costs beside Node itself.
 * Contract: it begins, whatever is in the place of what was kept.
 */
export function compileProgram(path: string, env: Env): { begin(words: readonly string[]): void } {
  const codeFile = codePath(env);
  const kept = codeFile === undefined ? undefined : keptCode(codeFile, env);
  const script = new Script(readFileSync(path, "utf8"), {
    filename: path,
    ...(kept === undefined ? {} : { cachedData: kept }),
  });
  const module = { exports: {} } as Parameters<Run>[0];
  (script.runInThisContext() as Run)(module, (name) => import(name));
  // What Node does not take, because it was started with other flags, is good for the others.
  const isKept = codeFile === undefined || kept !== undefined;
  const unkept = isKept ? undefined : { path: codeFile, make: () => script.createCachedData() };
  return { begin: (words) => module.exports.begin(words, unkept) };
}

/**
 * Where it is kept. Node takes the code of any text of the same length, and falls over that of another Node which calls itself by the same
 * version, so the name holds all that must be the same: the text, and the very program that compiled it.
 */
function codePath(env: Env): string | undefined {
  if (env["NODE_DISABLE_COMPILE_CACHE"]) return undefined;
  const { version, platform, arch, execPath } = process;
  try {
    const { size, mtimeMs } = statSync(execPath);
    const node = `${version}-${platform}-${arch}-${size}-${Math.floor(mtimeMs)}`;
    return join(statePath({ env }), "builds", `program-${HOOKLINE_PROGRAM}-${node}`);
  } catch {
    return undefined; // no state folder: whoever needs it for more than this says so
  }
}

/** Written twice, for Node falls over code that was damaged: two copies that agree were not. */
function keptCode(path: string, env: Env): Buffer | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isFile() || unsafeReason(found) !== undefined || !isStateFolderSafe("builds", { env }))
      return undefined;
    const both = readFileSync(path);
    const half = both.length >> 1;
    return half > 0 && both.compare(both, half, both.length, 0, half) === 0 ? both.subarray(0, half) : undefined;
  } catch {
    return undefined; // it cannot be read: the text is compiled
  }
}

/** Keeps what Node made of the program's text for the next start. Contract: never throws; without it a start only takes longer. */
export async function keepCode({ path, make }: UnkeptCode, env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await openState(["builds"], { env });
    const code = make();
    await replaceFile(path, Buffer.concat([code, code]));
  } catch {
    // A full disk, or a folder that is not safely ours: those who cannot do without them say so.
  }
}
