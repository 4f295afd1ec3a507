import { Worker } from "node:worker_threads";
import { compileGlob, fileTypes } from "./glob-match.ts";
import { listFiles, type SearchPlace, searchMs, tooSlow } from "./list-files.ts";
import type { GrepHit, GrepRequest, GrepResult } from "./ripgrep.ts";

/** The same search without `rg`. Patterns run in a worker thread, which is ended when a pattern takes too long. */
export async function searchBuiltIn(request: GrepRequest, place: SearchPlace): Promise<GrepResult> {
  const { root, file, signal } = place;
  const wanted = wantedFiles(request);
  if ("error" in wanted) return wanted;
  const listed = file === undefined ? await listFiles(place, "out") : [file];
  if (listed === undefined) return { error: tooSlow };
  const flags = `g${request.ignoreCase ? "i" : ""}${request.multiline ? "ms" : ""}`;
  return runInThread({ ...request, root, files: listed.filter(wanted.test), flags }, signal);
}

function wantedFiles({ globs, type }: GrepRequest): { test: (path: string) => boolean } | { error: string } {
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

/** A path and its parent folders: an exclusion covers everything below it. */
function withFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

function runInThread(job: WorkerJob, signal: AbortSignal): Promise<GrepResult> {
  return new Promise((resolve) => {
    // As a text, since a thread cannot load a TypeScript file.
    const worker = new Worker(`(${searchFiles.toString()})()`, { eval: true, workerData: job });
    const end = (answer: GrepResult) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      void worker.terminate();
      resolve(answer);
    };
    const onAbort = () => end({ error: "The search was interrupted." });
    const timer = setTimeout(() => end({ error: tooSlow }), searchMs);
    signal.addEventListener("abort", onAbort, { once: true });
    worker.on("message", end);
    worker.on("error", (error) => end({ error: String(error) }));
  });
}

interface WorkerJob extends GrepRequest {
  readonly root: string;
  readonly files: readonly string[];
  readonly flags: string;
}

/** Runs in a thread, from its own source text: everything that it needs is inside it, and Node's modules are loaded by name. */
function searchFiles(): void {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  const { readFileSync, statSync } = process.getBuiltinModule("node:fs");
  const job = workerData as WorkerJob;
  const maxBytes = 64 * 2 ** 20;
  const maxLineLength = 500;

  function textOf(path: string): string | undefined {
    try {
      if (statSync(`${job.root}/${path}`).size > maxBytes) return undefined;
      const bytes = readFileSync(`${job.root}/${path}`);
      return bytes.subarray(0, 65_536).includes(0) ? undefined : bytes.toString("utf8").replace(/^\uFEFF/, "");
    } catch {
      return undefined; // it was removed or cannot be read
    }
  }

  /** The numbers of matched lines with their pieces, and how many matches there were. */
  function matchesIn(text: string, lines: readonly string[], pattern: RegExp) {
    const found = new Map<number, string[]>();
    let count = 0;
    const note = (line: number, piece: string) => found.set(line, [...(found.get(line) ?? []), piece]);
    if (!job.multiline) {
      for (const [index, line] of lines.entries()) {
        const pieces = [...line.matchAll(pattern)].map(([piece]) => piece);
        if (pieces.length === 0) continue;
        count += 1;
        for (const piece of pieces) note(index, piece);
      }
      return { lines: found, count };
    }
    let [line, at] = [0, 0];
    const lineAt = (offset: number) => {
      for (; at < offset; at += 1) if (text[at] === "\n") line += 1;
      return line;
    };
    for (const match of text.matchAll(pattern)) {
      if (match[0] === "") continue;
      count += 1;
      const first = lineAt(match.index);
      const pieces = match[0].replace(/\n$/, "").split("\n");
      for (const [index, piece] of pieces.entries()) note(first + index, piece);
    }
    return { lines: found, count };
  }

  function shown(path: string, index: number, text: string, matched: boolean): GrepHit {
    const omitted = `[Omitted long ${matched ? "matching" : "context"} line]`;
    return { path, line: index + 1, text: text.length > maxLineLength ? omitted : text, matched };
  }

  function contentOf(path: string, lines: readonly string[], found: Map<number, string[]>): GrepHit[] {
    const hits: GrepHit[] = [];
    if (job.onlyMatching) {
      for (const [index, pieces] of found) {
        for (const piece of pieces) if (piece !== "") hits.push(shown(path, index, piece, true));
      }
      return hits;
    }
    let last = -1;
    for (const index of found.keys()) {
      const from = Math.max(last + 1, index - job.before);
      if (job.before + job.after > 0 && last >= 0 && from > last + 1) hits.push({ gap: true });
      let to = index + job.after;
      for (let n = from; n <= to && n < lines.length; n += 1) {
        const matched = found.has(n);
        if (matched) to = Math.max(to, n + job.after);
        hits.push(shown(path, n, lines[n] ?? "", matched));
        last = n;
      }
    }
    return hits;
  }

  function search(): GrepResult {
    let pattern: RegExp;
    try {
      pattern = new RegExp(job.pattern, job.flags);
    } catch (error) {
      return { error: `regex parse error: ${error instanceof Error ? error.message : String(error)}` };
    }
    const hits: GrepHit[] = [];
    for (const path of job.files) {
      const text = textOf(path);
      if (text === undefined) continue;
      const lines = text.split(/\r?\n/);
      if (lines.at(-1) === "") lines.pop();
      const { lines: found, count } = matchesIn(text, lines, pattern);
      if (count === 0) continue;
      if (job.mode === "files_with_matches") hits.push({ path });
      else if (job.mode === "count") hits.push({ path, count });
      else {
        const some = contentOf(path, lines, found);
        if (job.before + job.after > 0 && hits.length > 0 && some.length > 0) hits.push({ gap: true });
        for (const hit of some) hits.push(hit);
      }
    }
    return { hits };
  }

  parentPort?.postMessage(search());
}
