/** One measurement of sessions.bench.mjs: `node sessions.worker.mjs WHAT PATH` prints its figures as JSON. */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { followSession, listSessions, openSession, searchSessions } from "../.build/sessions/index.js";

const work = {
  async list(root) {
    for await (const _ of listSessions({ roots: [root] }));
  },
  /** What the full load is held against: the same file split and parsed, nothing kept. */
  parse(file) {
    for (const line of readFileSync(file, "utf8").split("\n")) if (line !== "") JSON.parse(line);
  },
  async load(file) {
    await (await openSession(placeOf(file))).load();
  },
  async stream(file) {
    let entries = 0;
    for await (const _ of (await openSession(placeOf(file))).entries()) entries++;
    return { entries };
  },
  async window(file) {
    const session = await openSession(placeOf(file));
    const [last] = await session.window({ last: 1 });
    await session.window({ from: 1, limit: 1 });
    const lines = Number.parseInt(last.uuid.slice(-12), 16);
    let slowestMs = 0;
    for (let step = 1; step <= 50; step++) {
      const line = Math.floor((lines * step) / 51);
      const uuid = `00000000-0000-4000-8000-${line.toString(16).padStart(12, "0")}`;
      const from = performance.now();
      await session.window(step % 2 === 0 ? { around: uuid, limit: 100 } : { from: line, limit: 100 });
      slowestMs = Math.max(slowestMs, performance.now() - from);
    }
    return { slowestMs };
  },
  async search(root) {
    const { total } = await searchSessions("xylophone concerto", { roots: [root] });
    return { total };
  },
  async follow(root) {
    const file = join(root, "projects", "-w", "s1.jsonl");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
    const abort = new AbortController();
    let slowestMs = 0;
    let count = 0;
    let written = 0;
    const write = () => {
      written = performance.now();
      appendFileSync(file, `{"type":"mode","mode":"m${count}","sessionId":"s1"}\n`);
    };
    setTimeout(write, 300);
    for await (const _ of followSession(placeOf(file), { signal: abort.signal })) {
      slowestMs = Math.max(slowestMs, performance.now() - written);
      if (++count === 20) abort.abort();
      else setTimeout(write, 20 + count * 7);
    }
    return { slowestMs };
  },
};

const [what, path] = process.argv.slice(2);
const before = process.cpuUsage();
const figures = (await work[what]?.(path)) ?? {};
const { user, system } = process.cpuUsage(before);
const rssMb = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ cpuMs: (user + system) / 1000, rssMb, ...figures }));
process.exit(0);

function placeOf(file) {
  const folder = dirname(file);
  const root = { path: dirname(dirname(folder)), origin: "client" };
  return { id: basename(file, ".jsonl"), root, project: basename(folder), folder, file };
}
