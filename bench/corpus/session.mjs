import { planCall } from "./calls.mjs";
import { eraAt } from "./eras.mjs";
import {
  assistantLine,
  attachmentLine,
  bareLine,
  boundaryLine,
  progressLine,
  respaced,
  stamp,
  syntheticLine,
  userLine,
} from "./lines.mjs";

/**
 * One session as files: `{ id, files: [{ path, lines, end }], notes }`. What `truth` records is decided before it is
 * written down, so the figures do not depend on any way of reading them back.
 */
export function writeSession({ random, text, truth, start, cwd, folder, bytes }) {
  const era = eraAt(start);
  const clock = clockFrom(random, start);
  const id = random.uuid();
  const slug = era.slugs ? "imperative-tickling-axolotl" : undefined;
  const main = { random, era, cwd, session: id, sidechain: false, parent: null, slug, at: clock.tick };
  const interim = random.chance(0.3);
  const session = { id, files: [], calls: [], forkable: [], boundary: -1 };
  const world = { random, text, truth, era, folder, session, main, clock, interim };
  const lines = [];
  session.files.push({ path: `${folder}/${id}.jsonl`, lines });
  let size = 0;
  const put = (line) => {
    lines.push(line);
    size += line.length;
  };
  put(bareLine(main, "queue-operation", `"operation":"enqueue","timestamp":"${stamp(clock.tick())}",`));
  put(bareLine(main, "mode", `"mode":"normal",`));
  let context = random.between(8_000, 30_000);
  while (size < bytes) {
    put(userLine(main, `"${text(random.between(20, 600))}"`));
    if (random.chance(0.3)) put(bareLine(main, "last-prompt", `"lastPrompt":"${text(40)}",`));
    for (let left = random.between(1, 25); left > 0; left--) {
      oneCall(world, main, put, { context, interim });
      context += random.between(300, 3000);
      if (random.chance(0.02)) agentFile(world, put);
    }
    if (random.chance(0.03)) {
      put(syntheticLine(main, { error: true }));
      truth.apiError({ at: clock.last(), session: id });
    }
    if (random.chance(0.05)) {
      put(userLine(main, `"Continue from where you left off."`));
      put(syntheticLine(main, { error: false }));
    }
    if (context > 140_000) {
      session.boundary = lines.length;
      put(boundaryLine(main));
      put(userLine(main, `"${text(3000)}"`));
      // Claude Code keeps the last calls before the boundary; a fork of such a session repeats them without their usage.
      context = random.between(15_000, 40_000);
    }
    if (random.chance(0.4)) clock.pause(random.between(1, 180) * 60_000);
  }
  session.files[0].end = random.chance(0.03) ? tornEnd(world) : "\n";
  return session;
}

/** A call in one to four lines, its tool results after or between them, and what goes wrong around it. */
function oneCall(world, who, put, { context, interim, agent }) {
  const { random, text, truth, era, session, clock } = world;
  // People change the model now and then; agents keep theirs.
  if (who.model === undefined || random.chance(0.01))
    who.model = random.pick(agent ? era.models.agent : era.models.main);
  const { model } = who;
  const at = clock.tick();
  const call = planCall(random, { era, at, model, agent, context });
  if (era.writesCost) call.written = random.between(1, 900_000);
  if (random.chance(0.02)) call.request = undefined;
  const count = era.writesCost ? 1 : random.pick([1, 1, 2, 2, 2, 3]);
  const open = interim && random.chance(0.01);
  const counts = { stop: random.chance(0.7) ? "tool_use" : "end_turn" };
  let largest = 0;
  const written = [];
  for (let index = 0; index < count; index++) {
    const last = index === count - 1 && !open;
    const output = interim && !last ? random.between(1, 8) : call.parts[0].tokens.output;
    largest = Math.max(largest, output);
    const content = blockOf(world, index, count);
    // The first line of a call says when it began.
    const here = index === 0 ? { ...who, at: () => at } : who;
    let line = assistantLine(here, call, { content, stop: interim && !last ? null : counts.stop, output, index });
    who.parent = here.parent;
    if (random.chance(0.004)) line = respaced(line);
    if (random.chance(0.0005)) line = damaged(world, line);
    written.push(line);
    put(line);
    if (index < count - 1 && random.chance(0.3)) put(resultOf(world, who));
  }
  if (open) {
    // Nothing on disk tells what the answer would have cost.
    call.parts = [{ ...call.parts[0], tokens: { ...call.parts[0].tokens, output: largest } }, ...call.parts.slice(1)];
  }
  put(resultOf(world, who));
  if (random.chance(0.3)) put(attachmentLine(who, text(random.between(50, 900))));
  if (random.chance(0.003) && !open) {
    // A replay: the same answer under another request id, in the same file.
    put(
      assistantLine(
        who,
        { ...call, request: random.id("req_011C", 20) },
        { content: blockOf(world, 0, 1), stop: counts.stop },
      ),
    );
  }
  const facts = { at, session: session.id, agent, model, open, written: call.written, parts: call.parts };
  truth.call(facts);
  session.calls.push({ call, stop: counts.stop, lines: written, facts });
  return { call, written };
}

function agentFile(world, put) {
  const { random, text, era, folder, session, main, clock } = world;
  const workflow = random.chance(0.15) && era.usage === "late";
  const agent = era.agentsBeside ? random.hex(8) : `a${random.hex(16)}`;
  const base = era.agentsBeside
    ? `${folder}/agent-${agent}`
    : `${folder}/${session.id}/subagents/${workflow ? `workflows/wf_${random.hex(8)}/` : ""}agent-${agent}`;
  const who = { ...main, sidechain: true, parent: null, agent, model: undefined };
  const lines = [];
  const keep = (line) => lines.push(line);
  keep(userLine(who, `"${text(400)}"`));
  let context = random.between(4_000, 20_000);
  const total = random.between(4, 60);
  // Of some agents of older clients only the copies in the main file are left.
  const lost = era.progress && random.chance(0.1);
  const copies = era.progress && (lost || random.chance(0.5));
  for (let index = 0; index < total; index++) {
    const { written } = oneCall({ ...world, main: who }, who, keep, { context, interim: true, agent });
    context += random.between(200, 2000);
    if (copies) for (const line of written) if (isWhole(line)) put(progressLine(main, innerOf(line), agent));
    // A copy that would be missing from a lost file must not be: count only what was copied whole.
    if (lost && !written.every(isWhole))
      put(progressLine(main, innerOf(respaced(undamaged(written.find((line) => !isWhole(line))))), agent));
  }
  if (random.chance(0.1) && session.calls.some((one) => one.facts.agent === undefined)) {
    // A side question that repeats the main answer under another request id.
    const main = random.pick(session.calls.filter((one) => one.facts.agent === undefined && !one.facts.open));
    if (main)
      keep(
        assistantLine(
          who,
          { ...main.call, request: random.id("req_011C", 20) },
          { content: blockOf(world, 0, 1), stop: main.stop },
        ),
      );
  }
  clock.pause(500);
  if (lost) return;
  session.files.push({ path: `${base}.jsonl`, lines, end: "\n" });
  if (workflow) {
    session.files.push({
      path: `${base.slice(0, base.lastIndexOf("/"))}/journal.jsonl`,
      lines: [
        `{"type":"started","agentId":"${agent}"}`,
        `{"type":"result","agentId":"${agent}","usage":{"input_tokens":77}}`,
      ],
      end: "\n",
    });
    session.files.push({
      path: `${folder}/${session.id}/workflows/wf_${random.hex(8)}.json`,
      lines: [`{"state":"done"}`],
      end: "\n",
    });
  }
  if (!era.agentsBeside) {
    const depth = random.between(1, 3);
    session.files.push({
      path: `${base}.meta.json`,
      lines: [
        `{"agentType":"${random.pick(["Explore", "general-purpose", "Plan"])}","description":"look around","toolUseId":"${random.id("toolu_01")}","spawnDepth":${depth}}`,
      ],
      end: "",
    });
  }
}

function blockOf({ random, text }, index, count) {
  if (index === 0 && count > 1)
    return `{"type":"thinking","thinking":"${text(random.between(80, 900))}","signature":"${random.id("Es", 300)}"}`;
  if (index < count - 1 || random.chance(0.3)) return `{"type":"text","text":"${text(random.between(40, 1200))}"}`;
  const tool = random.id("toolu_01");
  if (random.chance(0.034))
    return `{"type":"tool_use","id":"${tool}","name":"mcp__tracker__create","input":{"id":null,"title":"${text(30)}"}}`;
  if (random.chance(0.01))
    return `{"type":"tool_use","id":"${tool}","name":"mcp__api__send","input":{"stop_reason":"end_turn","usage":{"input_tokens":5000000,"output_tokens":7},"rows":[]}}`;
  if (random.chance(0.15))
    return `{"type":"tool_use","id":"${tool}","name":"Write","input":{"file_path":"/home/dev/x.ts","content":"${text(random.between(500, 9000))}"}}`;
  return `{"type":"tool_use","id":"${tool}","name":"Bash","input":{"command":"${text(random.between(20, 200))}","description":"${text(30)}"}}`;
}

function resultOf({ random, text, session, folder }, who) {
  const size = random.chance(0.003)
    ? random.between(200_000, 900_000)
    : random.chance(0.5)
      ? random.between(40, 1500)
      : random.between(1500, 7500);
  const tool = random.id("toolu_01");
  if (random.chance(0.002)) {
    session.files.push({ path: `${folder}/${session.id}/tool-results/${tool}.txt`, lines: [text(30_000)], end: "\n" });
  }
  const body = text(size);
  const usage = random.chance(0.01) ? `,"totalTokens":123456,"usage":{"input_tokens":123456,"output_tokens":9999}` : "";
  return userLine(who, `[{"tool_use_id":"${tool}","type":"tool_result","content":"${body}"}]`, {
    result: `,"toolUseResult":{"stdout":"${body}","stderr":"","interrupted":false,"isImage":false${usage}}`,
  });
}

/** What crashes leave: a record glued behind a stub, two records on one line, a record among NUL bytes. */
function damaged({ random, main }, line) {
  const kind = random.below(3);
  if (kind === 0) return `${userLine({ ...main }, `"cut of`).slice(0, random.between(150, 260))}${line}`;
  if (kind === 1) return `${bareLine(main, "mode", `"mode":"plan",`)}${line}`;
  return `\0\0\0\0\0\0\0\0${line}`;
}

const isWhole = (line) => line.startsWith("{") && !line.includes("\0") && isJson(line);
const undamaged = (line) => line.slice(line.lastIndexOf(`{"parentUuid"`));

function isJson(line) {
  try {
    return Boolean(JSON.parse(line));
  } catch {
    return false;
  }
}

/** The part of an agent's line that an older client copied into the main file. */
function innerOf(line) {
  const { message, requestId, uuid, timestamp, type } = JSON.parse(line);
  return JSON.stringify({ type, timestamp, message, requestId, uuid });
}

/** A file may end in the middle of a line, or with a whole line that never got its newline. */
function tornEnd({ random, text, truth, era, session, main, clock }) {
  const at = clock.tick();
  const call = planCall(random, { era, at, model: era.models.main[0], context: 5000 });
  const line = assistantLine({ ...main, at: () => at }, call, {
    content: `{"type":"text","text":"${text(200)}"}`,
    stop: "end_turn",
  });
  if (random.chance(0.5)) return `\n${line.slice(0, random.between(20, line.length - 2))}`;
  truth.call({ at, session: session.id, model: call.model, open: false, parts: call.parts });
  return `\n${line}`;
}

/** Time increases, except that now and then a line is stamped a little earlier than the one before. */
function clockFrom(random, start) {
  let now = start;
  let shown = start;
  return {
    tick() {
      now += random.between(20, 9000);
      shown = random.chance(0.02) ? now - random.between(1, 60_000) : now;
      return shown;
    },
    last: () => shown,
    pause(ms) {
      now += ms;
    },
  };
}
