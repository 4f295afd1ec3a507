/** Runs the interop suite with a release of Claude Code; returns what changed in its cases and in the transcripts it wrote. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export function runWithClient(version) {
  const scratch = mkdtempSync(join(tmpdir(), "hookline-drift-"));
  const [results, transcripts] = [join(scratch, "results.json"), join(scratch, "transcripts")];
  try {
    spawnSync(process.execPath, [join(root, "scripts", "interop.mjs"), "--client", version], {
      cwd: root,
      // The suite fails where Claude Code changed, which is what is asked here; its own report goes to stderr.
      stdio: ["ignore", 2, 2],
      env: { ...process.env, HOOKLINE_INTEROP_RESULTS: results, HOOKLINE_INTEROP_TRANSCRIPTS: transcripts },
    });
    if (!existsSync(results)) return { missing: "the interop suite did not run" };
    const { cases } = JSON.parse(readFileSync(results, "utf8"));
    if (cases.length === 0) return { missing: `client ${version} cannot be installed` };
    return { cases: caseLines(cases), transcripts: existsSync(transcripts) ? transcriptLines(transcripts) : [] };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function caseLines(cases) {
  const lines = [];
  for (const { name, comparison } of cases) {
    if (comparison.kind === "difference") lines.push(`${name}: ${comparison.why}`);
  }
  return lines;
}

/** Types and fields of transcripts that no reader of ours knows, with how many sessions have them. */
function transcriptLines(transcripts) {
  const program = join(root, "dist", "cli", "bin.cjs");
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [program, "sessions", "validate", "--all", "--root", transcripts, "--json"],
    { encoding: "utf8", maxBuffer: 2 ** 30 },
  );
  if (stdout === "") return [`transcripts could not be validated: ${stderr.trim()}`];
  const counts = new Map();
  for (const { findings } of JSON.parse(stdout).sessions) {
    for (const { code, severity, message } of findings) {
      if (!code.startsWith("unknown-") && severity !== "error") continue;
      const line = `${code}: ${message}`;
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([line, count]) => `${line} (${count} sessions)`);
}
