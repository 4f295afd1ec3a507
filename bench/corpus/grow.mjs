import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { planCall } from "./calls.mjs";
import { eraAt } from "./eras.mjs";
import { assistantLine, userLine } from "./lines.mjs";
import { seeded } from "./random.mjs";
import { fillerText } from "./text.mjs";
import { openTruth } from "./truth.mjs";

const begin = Date.parse("2026-10-12T00:00:00Z");

/** Appends `mb` megabytes to the largest sessions, as if users had worked for another day. Returns the new truth. */
export function growCorpus({ out, expected, mb, round, sessions = 3 }) {
  const random = seeded(expected.seed * 1000 + round);
  const text = fillerText(random, 1 << 16);
  const truth = openTruth(expected);
  let now = begin + round * 86_400_000;
  const era = eraAt(now);
  for (const path of largestSessions(join(out, "projects"), sessions)) {
    const session = basename(path, ".jsonl");
    const cwd = "/home/dev/work/project-0";
    const who = { random, era, cwd, session, sidechain: false, parent: null, at: () => (now += 1000) };
    const lines = [];
    for (let size = 0; size < (mb * 1_000_000) / sessions; size += lines.at(-1).length + lines.at(-2).length) {
      const at = who.at();
      const call = planCall(random, { era, at, model: random.pick(era.models.main), context: 20_000 });
      const content = `{"type":"text","text":"${text(random.between(200, 2000))}"}`;
      lines.push(assistantLine({ ...who, at: () => at }, call, { content, stop: "end_turn" }));
      lines.push(userLine(who, `"${text(random.between(2000, 24_000))}"`));
      truth.call({ at, session, model: call.model, open: false, parts: call.parts });
    }
    appendFileSync(path, `${lines.join("\n")}\n`);
  }
  return truth.truth;
}

/** Main transcripts that end with a whole line. */
export function largestSessions(projects, count) {
  return readdirSync(projects, { recursive: true })
    .filter((name) => /^[^/\\]+[/\\][0-9a-f-]{36}\.jsonl$/.test(name))
    .map((name) => join(projects, name))
    .sort((a, b) => statSync(b).size - statSync(a).size || (a < b ? -1 : 1))
    .filter(endsWithLine)
    .slice(0, count);
}

function endsWithLine(path) {
  return readFileSync(path).at(-1) === 10;
}
