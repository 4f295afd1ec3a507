/**
 * Writes a corpus of transcripts with its truth: `node bench/corpus/write.mjs --mb 200 --seed 1 --out FOLDER`.
 * The same size and seed give the same bytes on every machine.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { forkOf } from "./fork.mjs";
import { seeded } from "./random.mjs";
import { writeSession } from "./session.mjs";
import { fillerText } from "./text.mjs";
import { openTruth } from "./truth.mjs";

const firstDay = Date.parse("2025-10-01T00:00:00Z");
const lastDay = Date.parse("2026-10-12T00:00:00Z");

/** Fills `out` with `projects/…` and `truth.json`; gives the truth. */
export function writeCorpus({ mb, seed, out }) {
  const random = seeded(seed);
  const text = fillerText(random, Math.min(1 << 20, 65_536 + mb * 8192));
  const truth = openTruth();
  const projects = Math.max(2, Math.round(Math.sqrt(mb)));
  const target = mb * 1_000_000;
  let written = 0;
  let files = 0;
  const save = (session) => {
    for (const file of session.files) {
      const bytes = Buffer.from(file.lines.join("\n") + file.end);
      const path = join(out, "projects", file.path);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes, { mode: 0o600 });
      if (file.path.endsWith(".jsonl")) {
        written += bytes.length;
        files++;
      }
    }
  };
  while (written < target) {
    const project = random.below(projects);
    const cwd = `/home/dev/work/project-${project}`;
    const folder = cwd.replace(/[^A-Za-z0-9]/g, "-");
    const early = random.chance(0.02);
    const start = early
      ? Date.parse("2025-05-01T00:00:00Z") + random.below(60 * 86_400_000)
      : firstDay + random.below(lastDay - firstDay);
    const share = random.chance(0.05) ? 0.05 : random.pick([0.0005, 0.002, 0.004, 0.006]);
    const bytes = Math.min(Math.max(20_000, target * share), target - written);
    const world = { random, text, truth, cwd, folder };
    const session = writeSession({ ...world, start, bytes });
    save(session);
    if (random.chance(0.06)) save(forkOf(session, { ...world, start: start + 86_400_000 * 2 }));
  }
  const expected = { seed, mb, files, bytes: written, ...truth.truth };
  writeFileSync(join(out, "truth.json"), `${JSON.stringify(expected, null, 1)}\n`);
  return expected;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { mb: { type: "string" }, seed: { type: "string" }, out: { type: "string" } },
  });
  if (!values.out) throw new Error("name a folder: --out FOLDER");
  const expected = writeCorpus({ mb: Number(values.mb ?? 200), seed: Number(values.seed ?? 1), out: values.out });
  process.stdout.write(`${expected.files} transcripts, ${expected.bytes} bytes, ${expected.totals.calls} calls\n`);
}
