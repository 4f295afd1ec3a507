import { planCall } from "./calls.mjs";
import { eraAt } from "./eras.mjs";
import { assistantLine, bareLine, stamp, userLine } from "./lines.mjs";

/**
 * A new file that repeats a session's lines under another id and then continues. A fork of a compacted session begins at
 * the boundary and repeats the kept calls with all counts zero. Nothing repeated counts again.
 */
export function forkOf(session, { random, text, truth, cwd, folder, start }) {
  const id = random.uuid();
  const era = eraAt(start);
  const source = session.files[0];
  const lines = [];
  let now = start;
  const who = { random, era, cwd, session: id, sidechain: false, parent: null, at: () => (now += 1000) };
  // Three ways to distinguish a fork from its source: by its first timestamp, by a field, by a name that sorts later.
  const way = id > session.id ? random.below(3) : random.below(2);
  if (way === 0) lines.push(bareLine(who, "queue-operation", `"operation":"enqueue","timestamp":"${stamp(now)}",`));
  if (way === 1) who.forkedFrom = `{"sessionId":"${session.id}","messageUuid":"${random.uuid()}"}`;
  const compacted = session.boundary >= 0;
  const repeated = compacted ? source.lines.slice(session.boundary) : source.lines.slice(2);
  const own = (line) => {
    const renamed = line.replaceAll(session.id, id);
    return way === 1
      ? renamed.replace(`"isSidechain":false`, `"isSidechain":false,"forkedFrom":${who.forkedFrom}`)
      : renamed;
  };
  for (const line of repeated) lines.push(own(line));
  if (compacted) {
    const kept = session.calls.filter((one) => one.facts.agent === undefined && !one.facts.open).slice(0, 3);
    for (const { call, stop } of kept) {
      lines.push(
        assistantLine(who, { ...call }, { content: `{"type":"text","text":"${text(60)}"}`, stop, zero: true }),
      );
    }
  }
  for (let index = 0; index < 4; index++) {
    lines.push(userLine(who, `"${text(80)}"`));
    const at = who.at();
    const call = planCall(random, { era, at, model: era.models.main[0], context: 20_000 });
    if (era.writesCost) call.written = random.between(1, 900_000);
    lines.push(
      assistantLine({ ...who, at: () => at }, call, {
        content: `{"type":"text","text":"${text(300)}"}`,
        stop: "end_turn",
      }),
    );
    truth.call({ at, session: id, model: call.model, open: false, written: call.written, parts: call.parts });
  }
  return { id, files: [{ path: `${folder}/${id}.jsonl`, lines, end: "\n" }] };
}
