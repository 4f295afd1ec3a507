/** Usage reports: CPU compared with ccusage, and every figure compared with what the corpus is known to contain. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { growCorpus, largestSessions } from "./corpus/grow.mjs";
import { messageFirst, shuffleCorpus } from "./corpus/shuffle.mjs";
import { writeCorpus } from "./corpus/write.mjs";
import { peerProgram } from "./peer.mjs";
import { median } from "./statistics.mjs";
import { writeTrap } from "./traps.mjs";

const bin = resolve(import.meta.dirname, "../dist/cli/bin.cjs");
const rounds = 5;
/** Some shells count in hundredths of a second, this one in thousandths. */
const shell = existsSync("/bin/bash") ? "/bin/bash" : "sh";

export async function measure({ long, say }) {
  const root = mkdtempSync(join(tmpdir(), "hookline-bench-"));
  try {
    const peer = peerProgram(say);
    const world = { root, peer, say };
    return [
      ...(long ? corpusRows({ ...world, mb: 1000 }, longBars) : []),
      ...corpusRows({ ...world, mb: 200 }, quickBars),
      orderRow({ ...world, mb: 200 }, "keys of every line shuffled", (out) => shuffleCorpus({ out, seed: 1 })),
      orderRow({ ...world, mb: 200 }, "message before type on every line", (out) => messageFirst({ out })),
      statuslineRow(world),
      ...trapRows(world),
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** CPU as a share of the peer's, and peak memory in megabytes. */
const longBars = {
  cold: { cpu: 0.6, mb: 150 },
  first: { cpu: 0.75, mb: 200 },
  same: { cpu: 0.1 },
  grown: { cpu: 0.25 },
};
const quickBars = { cold: { cpu: 0.75, mb: 150 }, same: { cpu: 0.3 } };

const saidOf = {
  cold: "nothing cached",
  first: "first run, index written",
  same: "no change since the last run",
  grown: "2 MB appended to 3 files",
};

function corpusRows({ root, peer, say, mb }, bars) {
  const corpus = join(root, `corpus-${mb}`);
  const home = join(root, `home-${mb}`);
  say(`writing ${mb} MB of transcripts`);
  let expected = writeCorpus({ mb, seed: 1, out: corpus });
  const wrong = [];
  const times = { peer: [] };
  const ours = (what, ...more) => {
    const { cpuMs, out } = timed([process.execPath, bin, ...daily(corpus), ...more], { HOOKLINE_HOME: home }, root);
    times[what] = [...(times[what] ?? []), cpuMs];
    wrong.push(...differences(what, JSON.parse(out), expected));
  };
  say("measuring");
  for (let round = 0; round < rounds; round++) {
    times.peer.push(peerRun({ corpus, root, peer }).cpuMs);
    ours("cold", "--no-index");
    rmSync(home, { recursive: true, force: true });
    ours("first");
    ours("same");
    if (bars.grown === undefined) continue;
    expected = growCorpus({ out: corpus, expected, mb: 2, round });
    ours("grown");
  }
  const base = median(times.peer);
  const name = (what) => `${mb} MB, ${saidOf[what]}`;
  const cpu = Object.entries(bars).map(([what, bar]) => ({
    name: name(what),
    budget: `≤ ${bar.cpu} × ccusage`,
    figure: `${(median(times[what]) / base).toFixed(3)} × (${median(times[what]).toFixed(0)} ms against ${base.toFixed(0)} ms)`,
    share: median(times[what]) / base / bar.cpu,
  }));
  const memory = Object.entries(bars).flatMap(([what, { mb: most }]) => {
    if (most === undefined) return [];
    rmSync(home, { recursive: true, force: true });
    const used = peakMb([bin, ...daily(corpus), ...(what === "cold" ? ["--no-index"] : [])], home, root);
    return [
      { name: `${name(what)}, memory`, budget: `≤ ${most} MB`, figure: `${used.toFixed(0)} MB`, share: used / most },
    ];
  });
  const exact = {
    name: `${mb} MB, figures against the truth`,
    budget: "all equal",
    figure:
      wrong.length === 0
        ? `equal in ${Object.values(times).flat().length - rounds} runs`
        : wrong.slice(0, 3).join("; "),
    right: wrong.length === 0,
  };
  return [...cpu, ...memory, exact];
}

/** Another order of keys may cost a little, and changes no figure. */
function orderRow({ root, peer, say, mb }, order, rewrite) {
  const corpus = join(root, "corpus-reordered");
  say(`writing ${mb} MB of transcripts: ${order}`);
  const expected = writeCorpus({ mb, seed: 1, out: corpus });
  rewrite(corpus);
  const times = { peer: [], ours: [] };
  const wrong = [];
  for (let round = 0; round < rounds; round++) {
    times.peer.push(peerRun({ corpus, root, peer }).cpuMs);
    const { cpuMs, out } = timed([process.execPath, bin, ...daily(corpus), "--no-index"], {}, root);
    times.ours.push(cpuMs);
    wrong.push(...differences(order, JSON.parse(out), expected));
  }
  rmSync(corpus, { recursive: true, force: true });
  const [own, base] = [median(times.ours), median(times.peer)];
  return {
    name: `${mb} MB, ${order}, nothing cached`,
    budget: "≤ 0.8 × ccusage, figures equal to the truth",
    figure:
      `${(own / base).toFixed(3)} × (${own.toFixed(0)} ms against ${base.toFixed(0)} ms), figures ` +
      (wrong.length === 0 ? "equal" : `not equal: ${wrong.slice(0, 3).join("; ")}`),
    share: own / base / 0.8,
    right: wrong.length === 0,
  };
}

function peerRun({ corpus, root, peer }) {
  return timed([peer, "claude", "daily", "--json", "--offline"], { CLAUDE_CONFIG_DIR: corpus }, root);
}

function daily(corpus) {
  return ["usage", "daily", "--json", "--root", corpus, "--timezone", "UTC"];
}

function differences(run, { totals, rows }, expected) {
  const unlike = (label, found, true_) =>
    Object.keys(true_).flatMap((key) =>
      found?.[key] === true_[key] ? [] : `${run}: ${label} ${key} ${found?.[key]}, not ${true_[key]}`,
    );
  const days = Object.entries(expected.days).flatMap(([date, day]) =>
    unlike(
      date,
      rows.find((row) => row.date === date),
      day,
    ),
  );
  return [...unlike("total", totals, expected.totals), ...days];
}

/** A session of 100 MB that still grows. The first calls read it, a part each; from then on only what is new is read. */
function statuslineRow({ root, say }) {
  say("writing a session of 100 MB");
  const config = join(root, "live");
  let expected = writeCorpus({ mb: 20, seed: 3, out: config });
  const goOn = (mb, round) => {
    expected = growCorpus({ out: config, expected, mb, round, sessions: 1 });
  };
  goOn(100, 1);
  const transcript = largestSessions(join(config, "projects"), 1)[0];
  const session = basename(transcript, ".jsonl");
  const input = JSON.stringify({ session_id: session, transcript_path: transcript, model: { display_name: "Opus" } });
  const env = { HOOKLINE_HOME: join(root, "home-live"), CLAUDE_CONFIG_DIR: config };
  const show = () => timed([process.execPath, bin, "statusline"], env, root, input);
  timed([process.execPath, bin, "usage", "--json"], env, root);
  goOn(0.1, 2);
  const begun = [];
  for (let call = 0; call < 16; call++) begun.push(show().cpuMs);
  const bare = [];
  const start = [];
  const line = [];
  for (let round = 0; round < rounds; round++) {
    goOn(0.1, round + 3);
    bare.push(timed([process.execPath, "-e", "0"], env, root).cpuMs);
    start.push(timed([process.execPath, bin, "statusline"], env, root, "{}").cpuMs);
    line.push(show().cpuMs);
  }
  const base = median(bare);
  const above = median(line) - base;
  return {
    name: "the status line of a session of 100 MB, CPU above bare node",
    budget: "≤ 80 ms",
    figure:
      `${above.toFixed(0)} ms, ${(median(start) - base).toFixed(0)} of them without any session (${(median(begun) - base).toFixed(0)} ms while it ` +
      `is read for the first time; bare node itself ${base.toFixed(0)} ms)`,
    share: above / 80,
  };
}

/** Where the peer is wrong, and where both are right: ours must be right, and a peer that changed is worth a look. */
function trapRows({ root, peer }) {
  const traps = JSON.parse(readFileSync(resolve(import.meta.dirname, "../test/fixtures/usage/traps.json"), "utf8"));
  const ours = [];
  const theirs = [];
  traps.forEach((trap, index) => {
    const config = join(root, `trap-${index}`);
    writeTrap(config, trap);
    const mode = trap.mode === undefined ? [] : ["--mode", trap.mode];
    const own = run([process.execPath, bin, ...daily(config), "--no-index", ...mode], {});
    if (JSON.parse(own).totals.costMicroUsd !== trap.us) ours.push(trap.name);
    const other = run([peer, "claude", "daily", "--json", "--offline", ...mode], { CLAUDE_CONFIG_DIR: config });
    const cost = JSON.parse(other).totals?.totalCost ?? 0;
    if (Math.round(cost * 1e6) !== trap.peer) theirs.push(`${trap.name}: ${Math.round(cost * 1e6)}`);
  });
  return [
    {
      name: "cases that trip readers, ours",
      budget: "all right",
      figure: ours.length === 0 ? `${traps.length} right` : `wrong: ${ours.join("; ")}`,
      right: ours.length === 0,
    },
    {
      name: "the same, ccusage as recorded",
      budget: "as recorded",
      figure: theirs.length === 0 ? "unchanged" : `changed: ${theirs.join("; ")}`,
      right: theirs.length === 0,
    },
  ];
}

/** CPU of a command and its children, by the shell's own count, and what it printed. */
function timed(command, env, root, input = "") {
  const file = join(root, "out");
  const script = 'file="$1"; shift; "$@" >"$file" || exit 1; times';
  const { status, stdout, stderr } = spawnSync(shell, ["-c", script, "sh", file, ...command], {
    encoding: "utf8",
    env: envFor(env),
    input,
  });
  if (status !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  const children = stdout.trim().split("\n").at(-1);
  const cpuMs = [...children.matchAll(/(\d+)m([\d.,]+)s/g)].reduce(
    (all, [, minutes, seconds]) => all + Number(minutes) * 60_000 + Number(seconds.replace(",", ".")) * 1000,
    0,
  );
  return { cpuMs, out: readFileSync(file, "utf8") };
}

function run([command, ...args], env) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", env: envFor(env), maxBuffer: 1e9 });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** What the process itself says when it ends; not timed, as saying it costs something too. */
function peakMb(args, home, root) {
  const file = join(root, "peak");
  const note = join(root, "note.mjs");
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(
    note,
    `import { writeFileSync } from "node:fs";
process.on("exit", () => writeFileSync(${JSON.stringify(file)}, String(process.resourceUsage().maxRSS)));`,
  );
  run([process.execPath, "--import", note, ...args], { HOOKLINE_HOME: home });
  return Number(readFileSync(file, "utf8")) / 1024;
}

function envFor(env) {
  return { ...process.env, TZ: "UTC", NODE_OPTIONS: "", ...env };
}
