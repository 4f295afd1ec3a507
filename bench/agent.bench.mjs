/** What the reference agent and `ask` add of their own. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { median } from "./statistics.mjs";

const program = resolve(import.meta.dirname, "../dist/cli/bin.cjs");
const worker = join(import.meta.dirname, "agent.worker.mjs");

export async function measure({ long, say }) {
  const root = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  try {
    return [...perCall(root, long), help(long), ...resumed(root, say), asked(root, long)];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Compares many calls with few, which leaves the time of the calls. The loop has a budget; the time of the disk is reported. */
function perCall(root, long) {
  const [few, many] = [20, 320];
  const each = (...kept) =>
    median(
      Array.from({ length: long ? 7 : 3 }, (_, round) => {
        const took = (count) =>
          run("calls", count, join(root, ["calls", round, count, ...kept].join("-")), ...kept).wallMs;
        return (took(many) - took(few)) / (many - few);
      }),
    );
  const kept = each("kept");
  return [
    row("the loop, per tool call without hooks", each(), 2, "ms"),
    { name: "the same with its transcript on disk", budget: "none", figure: `${kept.toFixed(2)} ms` },
  ];
}

function help(long) {
  const took = Array.from({ length: long ? 21 : 9 }, () => cpuOf([program, "agent", "--help"]));
  return row("agent --help, CPU", median(took), 150, "ms");
}

/**
 * Two sessions of 50 MB, from the call of the agent to its first request. One was compacted every 2,000 lines, as a session of that
 * length is; of the other nothing can be left out, which is the worst case: the model is sent all of it.
 */
function resumed(root, say) {
  const kinds = [
    { name: "compacted now and then", every: 2_000 },
    { name: "never compacted", every: Number.POSITIVE_INFINITY },
  ];
  return kinds.flatMap(({ name, every }, number) => {
    say(`writing a session of 50 MB, ${name}`);
    const id = "22222222-2222-4222-8222-222222222222";
    const folder = join(root, `resume-${number}`);
    const cwd = join(folder, "project");
    const sessions = join(folder, "store", "projects", cwd.replace(/[^a-zA-Z0-9]/g, "-"));
    mkdirSync(sessions, { recursive: true });
    writeFileSync(join(sessions, `${id}.jsonl`), [...lines(id, cwd, 50e6, every)].join(""));
    const seen = Array.from({ length: 3 }, () => run("resume", id, folder));
    rmSync(folder, { recursive: true, force: true });
    return [
      row(`resuming 50 MB, ${name}: CPU to the first request`, median(seen.map(({ cpuMs }) => cpuMs)), 1_000, "ms"),
      row("the same, peak memory", Math.max(...seen.map(({ peakMb }) => peakMb)), 200, "MB"),
    ];
  });
}

/** A long session as our own agent writes it, with a compaction after every so many lines. */
function* lines(id, cwd, bytes, every) {
  let [written, number, parent] = [0, 0, null];
  const line = (entry) => {
    const uuid = `00000000-0000-4000-8000-${(++number).toString(16).padStart(12, "0")}`;
    const common = {
      isSidechain: false,
      userType: "external",
      entrypoint: "hookline",
      cwd,
      sessionId: id,
      version: "0.1.0",
    };
    const timestamp = new Date(Date.parse("2026-01-01T00:00:00Z") + number * 700).toISOString();
    const text = `${JSON.stringify({ parentUuid: parent, ...common, ...entry, uuid, timestamp })}\n`;
    parent = uuid;
    written += text.length;
    return text;
  };
  const words = "the tests pass and the mugs are blue ".repeat(40);
  while (written < bytes) {
    yield line({ type: "user", message: { role: "user", content: words.slice(0, 200) } });
    const message = { id: `msg_${number}`, type: "message", role: "assistant", model: "scripted" };
    const usage = { input_tokens: 100, output_tokens: 50, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
    const content = [{ type: "text", text: words }];
    yield line({ type: "assistant", message: { ...message, content, stop_reason: "end_turn", usage } });
    if (number % every !== 0) continue;
    parent = null;
    yield line({
      type: "system",
      subtype: "compact_boundary",
      content: "Conversation compacted",
      compactMetadata: { trigger: "auto", preTokens: 150_000 },
    });
    yield line({ type: "user", isCompactSummary: true, message: { role: "user", content: words } });
  }
}

/** A child that answers at once: by itself and through `ask`, in turn. */
function asked(root, long) {
  const folder = join(root, "ask");
  mkdirSync(folder);
  const child = join(folder, "child.mjs");
  writeFileSync(
    child,
    'process.stdin.resume(); console.log(JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "ok", session_id: "x" }));process.exit(0)',
  );
  const start = join(folder, "child");
  writeFileSync(start, `#!/bin/sh\nexec "${process.execPath}" "${child}"\n`, { mode: 0o755 });
  const env = { PATH: process.env.PATH, HOME: folder, HOOKLINE_HOME: join(folder, "state") };
  const added = Array.from({ length: long ? 21 : 9 }, () => {
    const alone = wallOf(start, [], env, folder);
    return wallOf(process.execPath, [program, "ask", "hi", "--agent", start], env, folder) - alone - bareNode(env);
  });
  return row("ask above the child and a bare node start", median(added), 300, "ms");
}

function bareNode(env) {
  return wallOf(process.execPath, ["-e", "0"], env, tmpdir());
}

function wallOf(file, args, env, cwd) {
  const begun = performance.now();
  const { status, stderr } = spawnSync(file, args, { env, cwd, input: "hi", encoding: "utf8" });
  if (status !== 0) throw new Error(`${file} ${args.join(" ")}: ${stderr}`);
  return performance.now() - begun;
}

function cpuOf(args) {
  const note =
    "process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write(String((user + system) / 1000)); });";
  const { stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(note)}`, ...args],
    {
      encoding: "utf8",
    },
  );
  return Number(stderr);
}

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [worker, ...args.map(String)], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout);
}

function row(name, figure, budget, unit) {
  return {
    name,
    budget: `≤ ${budget} ${unit}`,
    figure: `${figure.toFixed(figure < 10 ? 2 : 0)} ${unit}`,
    share: figure / budget,
  };
}
