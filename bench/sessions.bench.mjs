/** Reading transcripts, each figure in a process of its own. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, createWriteStream, mkdirSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const worker = join(import.meta.dirname, "sessions.worker.mjs");
const MB = 1e6;

export async function measure({ long, say }) {
  const root = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  try {
    const size = long ? 1000 : 200;
    say(`writing one transcript of ${size} MB`);
    const name = "22222222-2222-4222-8222-222222222222.jsonl";
    const file = join(root, "big", "projects", "-w", name);
    await writeTranscript(file, size * MB);
    // No string of Node's can hold a gigabyte, so what is loaded whole is never larger than this.
    const whole = long ? join(root, "whole", "projects", "-w", name) : file;
    if (long) await writeTranscript(whole, 200 * MB);
    say("writing 500 small ones");
    for (let index = 0; index < 500; index++)
      writeSmall(join(root, "many", "projects", `-p${index % 20}`, `s${1000 + index}.jsonl`), index);
    say("measuring");
    const bytes = statSync(file).size;
    const list = run("list", join(root, "many"));
    const parse = best(() => run("parse", whole));
    const load = best(() => run("load", whole));
    const stream = run("stream", file);
    const window = run("window", file);
    const search = run("search", join(root, "big"));
    const follow = run("follow", join(root, "live"));
    const scale = (1000 * MB) / bytes;
    return [
      row("listing, CPU per session", list.cpuMs / 500, 2, "ms"),
      row("streaming, peak memory", stream.rssMb, 200, "MB"),
      row("from write to delivery, slowest of 20", follow.slowestMs, 500, "ms"),
      row("a window once the table exists, slowest of 50", window.slowestMs, 50, "ms"),
      row("full load against split and JSON.parse", load.cpuMs / parse.cpuMs, 2.5, "×"),
      row("a rare word, CPU per GB", (search.cpuMs * scale) / 1000, 3, "s"),
      row("a rare word, peak memory", search.rssMb, 150, "MB"),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function row(name, figure, budget, unit) {
  return { name, budget: `≤ ${budget} ${unit}`, figure: `${figure.toFixed(2)} ${unit}`, share: figure / budget };
}

function run(what, path) {
  const done = spawnSync(process.execPath, [worker, what, path], { encoding: "utf8", maxBuffer: 1e8 });
  if (done.status !== 0) throw new Error(`${what}: ${done.stderr}`);
  return JSON.parse(done.stdout);
}

/** The smallest of three: what the work costs when nothing disturbs it. */
function best(measureOnce) {
  return [measureOnce(), measureOnce(), measureOnce()].reduce((least, one) => (one.cpuMs < least.cpuMs ? one : least));
}

/** The same bytes on every machine. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

const vocabulary = "the quick brown fox jumps over a lazy dog and writes code for naïve users while tests pass".split(
  " ",
);

function* transcript(seed) {
  const random = randomFrom(seed);
  const words = (length) => {
    let text = "";
    while (text.length < length) text += `${vocabulary[Math.floor(random() * vocabulary.length)]} `;
    return text;
  };
  let number = 0;
  let parent = null;
  let time = Date.parse("2026-01-01T00:00:00Z");
  const line = (fields) => {
    time += 700;
    const uuid = `00000000-0000-4000-8000-${(++number).toString(16).padStart(12, "0")}`;
    const entry = {
      parentUuid: parent,
      isSidechain: false,
      ...fields,
      uuid,
      timestamp: new Date(time).toISOString(),
      userType: "external",
      entrypoint: "cli",
      cwd: "/home/dev/project",
      sessionId: "22222222-2222-4222-8222-222222222222",
      version: "2.1.197",
      gitBranch: "main",
    };
    parent = uuid;
    return `${JSON.stringify(entry)}\n`;
  };
  const usage = {
    input_tokens: 100,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 5000,
    output_tokens: 88,
    service_tier: "standard",
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
  };
  for (let turn = 1; ; turn++) {
    yield line({ type: "user", promptSource: "typed", message: { role: "user", content: words(100) } });
    for (let step = 1; step <= 5; step++) {
      const id = `msg_${turn}_${step}`;
      const answer = (block, stop) =>
        line({
          type: "assistant",
          requestId: `req_${id}`,
          message: {
            id,
            type: "message",
            role: "assistant",
            model: "claude-opus-4-8",
            content: [block],
            stop_reason: stop,
            stop_sequence: null,
            usage,
          },
        });
      yield answer({ type: "text", text: words(200) }, step < 5 ? "tool_use" : "end_turn");
      if (step === 5) continue;
      const tool = `toolu_${turn}_${step}`;
      yield answer(
        { type: "tool_use", id: tool, name: ["Bash", "Read", "Edit"][step % 3], input: { command: words(60) } },
        "tool_use",
      );
      const output = words(random() < 0.1 ? 8000 : 400);
      yield line({
        type: "user",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: tool, content: output }] },
        toolUseResult: { stdout: output, stderr: "", interrupted: false },
      });
    }
  }
}

async function writeTranscript(file, bytes) {
  mkdirSync(join(file, ".."), { recursive: true });
  const out = createWriteStream(file);
  let written = 0;
  for (const text of transcript(7)) {
    written += Buffer.byteLength(text);
    if (!out.write(text)) await once(out, "drain");
    if (written >= bytes) break;
  }
  out.end();
  await once(out, "close");
}

function writeSmall(file, seed) {
  mkdirSync(join(file, ".."), { recursive: true });
  const descriptor = openSync(file, "w");
  let written = 0;
  for (const text of transcript(seed + 1)) {
    writeSync(descriptor, text);
    written += text.length;
    if (written >= 300_000) break;
  }
  closeSync(descriptor);
}
