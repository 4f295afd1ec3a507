import { Worker } from "node:worker_threads";
import { compileGlob, fileTypes } from "./glob-match.ts";
import {
  type Hit,
  listFiles,
  longContext,
  longestLine,
  longLine,
  type SearchAnswer,
  type SearchWish,
  searchMs,
  tooSlow,
} from "./list-files.ts";
import type { SearchPlace } from "./ripgrep.ts";
import { searchFiles, type WorkerJob } from "./worker.ts";

/** The same search without `rg`. Patterns run in a thread of their own: one that goes back for ever holds nobody, and is ended. */
export async function searchBuiltIn(wish: SearchWish, place: SearchPlace): Promise<SearchAnswer> {
  const { root, file, signal } = place;
  const wanted = wantedFiles(wish);
  if ("error" in wanted) return wanted;
  const listed = file === undefined ? await filesIn(place) : [file];
  if (listed === undefined) return { error: tooSlow };
  const files = listed.filter(wanted.test);
  const { pattern, ignoreCase, multiline, mode, before, after, onlyMatching } = wish;
  const flags = `g${ignoreCase ? "i" : ""}${multiline ? "ms" : ""}`;
  const long = { longestLine, longLine, longContext };
  const job: WorkerJob = { root, files, pattern, flags, multiline, mode, before, after, onlyMatching, ...long };
  return runInThread(job, signal);
}

/** Undefined when there was no end to them. */
async function filesIn({ root, env, signal }: SearchPlace): Promise<readonly string[] | undefined> {
  try {
    return await listFiles({ root, env, signal, ignored: "out" });
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

function wantedFiles({ globs, type }: SearchWish): { test: (path: string) => boolean } | { error: string } {
  const typed = type !== undefined && Object.hasOwn(fileTypes, type) ? fileTypes[type] : undefined;
  if (type !== undefined && typed === undefined) return { error: `unrecognized file type: ${type}` };
  const kinds = typed?.map(compileGlob);
  const out = globs.filter((glob) => glob.startsWith("!")).map((glob) => compileGlob(glob.slice(1)));
  const into = globs.filter((glob) => !glob.startsWith("!")).map(compileGlob);
  return {
    test: (path) =>
      (kinds === undefined || kinds.some((fits) => fits(path))) &&
      (into.length === 0 || into.some((fits) => fits(path))) &&
      !withFolders(path).some((one) => out.some((fits) => fits(one))),
  };
}

/** A path and the folders it lies in: what is taken out takes out all below it. */
function withFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function runInThread(job: WorkerJob, signal: AbortSignal): Promise<SearchAnswer> {
  return new Promise((resolve, reject) => {
    // As a text, since a thread cannot load a file that only a compiler can read.
    const worker = new Worker(`(${searchFiles.toString()})()`, { eval: true, workerData: job });
    const end = (answer: SearchAnswer) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      void worker.terminate();
      resolve(answer);
    };
    const onAbort = () => end({ error: "The search was interrupted." });
    const timer = setTimeout(() => end({ error: tooSlow }), searchMs);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.on("message", (answer: { hits: Hit[] } | { error: string }) => end(answer));
    worker.on("error", (error) => {
      end({ error: String(error) });
      reject(error);
    });
  });
}
