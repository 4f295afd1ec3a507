import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runAgent } from "../../src/agent/internal.ts";
import { type ModelScript, scripted } from "../../src/models/internal.ts";

/** What one trial showed; `wrong` should be empty. */
export interface AgentKill {
  /** Lines that the agent had reported before it was killed. */
  readonly acknowledged: number;
  readonly torn: number;
  readonly resumed: boolean;
  readonly wrong: readonly string[];
}

type Line = Readonly<Record<string, unknown>>;

const program = resolve(import.meta.dirname, "../../dist/cli/bin.cjs");
const id = "55555555-5555-4555-8555-555555555555";

/**
 * Runs the agent in a process of its own and kills it at a moment that `seed` decides. Then every line it had reported must be in a
 * transcript, once and unchanged, everything must still be readable but for a torn last line, and the session must resume.
 */
export async function killAgent(seed: number): Promise<AgentKill> {
  const root = mkdtempSync(join(tmpdir(), "hookline-kill-agent-"));
  const [cwd, home, store] = ["project", "home", "store"].map((name) => join(root, name)) as [string, string, string];
  for (const folder of [cwd, home]) mkdirSync(folder);
  writeFileSync(join(cwd, "notes.txt"), "blue mugs\n".repeat(200));
  const env = { PATH: process.env["PATH"], HOME: home, HOOKLINE_HOME: join(root, "state"), TMPDIR: root };
  try {
    writeFileSync(join(root, "script.json"), JSON.stringify(scripts[seed % scripts.length]));
    const told = await tellUntilKilled(root, { cwd, env, store, when: generator(seed)() });
    const after = linesIn(store);
    const found = [...judge(told, after), ...tornInside(after)];
    if (after.length === 0) return { acknowledged: told.length, torn: 0, resumed: false, wrong: found };
    const went = await goOn({ cwd, home, env, store });
    const wrong = [...found, ...went, ...judge(told, linesIn(store)).map((what) => `after going on: ${what}`)];
    return { acknowledged: told.length, torn: after.filter(isTorn).length, resumed: true, wrong };
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

const read = { tool: "Read", input: { file_path: "notes.txt" } };
const echo = { tool: "Bash", input: { command: "echo one; echo two" } };
const summary = {
  when: { purpose: "compaction" },
  times: "any",
  text: "<summary>short</summary>",
} as const;
const words = "the tests pass and the mugs are blue ".repeat(60);

/** One call after another; several at once, with results too long for a line; an agent that works; all of them compacted on the way. */
const scripts: readonly ModelScript[] = [
  { answers: [summary, { times: 2_000, text: words, calls: [read] }] },
  {
    answers: [
      summary,
      { times: 2_000, thinking: "hm", calls: [read, echo, { tool: "Bash", input: { command: "seq 1 20000" } }] },
    ],
  },
  {
    answers: [
      summary,
      { text: "an agent", calls: [{ tool: "Agent", input: { description: "a job", prompt: "look" } }] },
      { when: { purpose: "subagent" }, times: 2_000, text: words, calls: [read, read] },
    ],
  },
];

interface Place {
  readonly cwd: string;
  readonly store: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the agent printed on its stream before it was killed: lines of transcripts, each with its uuid. */
async function tellUntilKilled(
  root: string,
  { cwd, env, store, when }: Place & { readonly when: number },
): Promise<readonly Line[]> {
  const flags = ["--output-format", "stream-json", "--session-id", id, "--store", store, "--compact-at", "12000"];
  const words = [program, "agent", "-p", "go", "--model", `scripted:${join(root, "script.json")}`, ...flags];
  const child = spawn(process.execPath, [...words, "--dangerously-skip-permissions"], { cwd, env, stdio: "pipe" });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  let output = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    output += chunk;
  });
  child.stdin.end();
  const gone = once(child, "close");
  // A tenth are killed while they start, the others while they work.
  if (when < 0.1) await sleep(when * 3_000);
  else {
    await Promise.race([once(child.stdout, "data"), gone]);
    await sleep(when * 400);
  }
  child.kill("SIGKILL");
  const [status] = (await gone) as [number | null];
  if (status !== null) throw new Error(`the agent ended by itself with ${status}: ${output}`);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  const lines = whole.filter((line) => line !== "").map((line) => JSON.parse(line) as Line);
  return lines.filter(({ type }) => type === "assistant" || type === "user");
}

/** Every line of every transcript in the store, main and agents'; undefined for one that is not JSON. */
interface Kept {
  readonly file: string;
  readonly last: boolean;
  readonly line: Line | undefined;
}

function linesIn(store: string): readonly Kept[] {
  const names = listed(store).filter((name) => name.endsWith(".jsonl"));
  return names.flatMap((file) => {
    const parts = readFileSync(file, "utf8").split("\n");
    if (parts.at(-1) === "") parts.pop();
    return parts.map((text, at) => ({ file, last: at === parts.length - 1, line: parsed(text) }));
  });
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return []; // killed before there was a store
    throw error;
  }
}

function parsed(text: string): Line | undefined {
  try {
    return JSON.parse(text) as Line;
  } catch {
    return undefined; // torn, or damage: the caller says which
  }
}

function isTorn({ line }: Kept): boolean {
  return line === undefined;
}

function tornInside(kept: readonly Kept[]): readonly string[] {
  return kept.flatMap((one) => (isTorn(one) && !one.last ? [`no JSON in the middle of ${one.file}`] : []));
}

function judge(told: readonly Line[], kept: readonly Kept[]): readonly string[] {
  const byUuid = new Map<unknown, Line[]>();
  for (const { line } of kept) {
    if (line?.["uuid"] === undefined) continue;
    byUuid.set(line["uuid"], [...(byUuid.get(line["uuid"]) ?? []), line]);
  }
  return told.flatMap((line) => {
    const found = byUuid.get(line["uuid"]) ?? [];
    if (found.length !== 1) return [`reported ${String(line["uuid"])}, found ${found.length} times`];
    // What is too long for a line is in a file of its own.
    const same = found[0]?.["hookline"] !== undefined || contentOf(found[0]) === contentOf(line);
    return same ? [] : [`${String(line["uuid"])} is not what was reported`];
  });
}

function contentOf(line: Line | undefined): string {
  return JSON.stringify((line?.["message"] as { content?: unknown } | undefined)?.content);
}

async function goOn(place: Place & { readonly home: string }): Promise<readonly string[]> {
  const any = { when: { purpose: "any" as const }, times: "any" as const, text: "went on" };
  const model = await scripted({ answers: [any] });
  const { result, is_error } = await runAgent({ ...place, model, prompt: "more", resume: id });
  return result === "went on" && !is_error ? [] : [`did not go on: ${result}`];
}

function generator(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca6b);
    state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
    return ((state ^ (state >>> 16)) >>> 0) / 2 ** 32;
  };
}
