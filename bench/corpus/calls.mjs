/**
 * What models answered: tokens, model and price situation of one call, before anybody writes it down. `parts[0]` is the
 * answer itself; further parts are iterations that the top-level counts leave out.
 */
export function planCall(random, { era, at, model, agent, context }) {
  const id = random.id("msg_01", 22);
  const tokens = {
    input: random.chance(0.7) ? random.between(1, 12) : random.between(13, 4000),
    output: random.between(1, 60) * random.between(1, 40),
    write5m: 0,
    write1h: 0,
    read: random.chance(0.9) ? context : 0,
    searches: 0,
    thinking: 0,
  };
  const written = random.between(100, 6000);
  if (era.writes1h && random.chance(0.7)) tokens.write1h = written;
  else tokens.write5m = written;
  const call = { id, request: random.id("req_011C", 20), at, agent, model, situation: {}, iterations: undefined };
  const part = { model, tokens, prompt: 0, speed: "standard", tier: "standard", geo: era.geo };
  call.parts = [part];
  if (era.usage === "late") lateSituations(random, call, part);
  if (model.includes("sonnet-4-5") && random.chance(0.02)) tokens.input += 210_000;
  if (model === "claude-haiku-5-5" && random.chance(0.3)) tokens.read += 95_000;
  part.prompt = tokens.input + tokens.read + tokens.write5m + tokens.write1h;
  if (era.usage === "late") call.iterations = iterationsOf(random, call, part);
  for (const later of call.parts.slice(1)) later.prompt = later.tokens.input + later.tokens.read;
  return call;
}

function lateSituations(random, call, part) {
  const { tokens } = part;
  if (random.chance(0.5)) tokens.thinking = Math.floor(tokens.output / 3);
  if (/opus-(4-[678]|5|5-5)$/.test(call.model) && random.chance(0.03)) part.speed = "fast";
  else if (random.chance(0.01)) part.tier = "batch";
  if (random.chance(0.02)) part.geo = "us";
  if (random.chance(0.01)) tokens.searches = random.between(1, 4);
}

function iterationsOf(random, call, part) {
  const { tokens } = part;
  const whole = { type: "message", ...pick(tokens) };
  if (random.chance(0.35)) return [];
  if (part.speed === "fast" || !random.chance(0.012)) return [whole];
  const aside = {
    model: random.chance(0.7) ? "claude-opus-5" : part.model,
    tokens: {
      input: random.between(500, 9000),
      output: random.between(50, 900),
      write5m: 0,
      write1h: 0,
      read: 0,
      searches: 0,
      thinking: 0,
    },
    speed: "standard",
    // Advice and compaction are bought with the request: same tier, same place.
    tier: part.tier,
    geo: part.geo,
  };
  call.parts.push(aside);
  const advisor = aside.model !== part.model;
  const extra = {
    type: advisor ? "advisor_message" : "compaction",
    ...(advisor ? { model: aside.model } : {}),
    ...pick(aside.tokens),
  };
  if (!random.chance(0.5)) return [whole, extra];
  const first = {
    ...whole,
    input: tokens.input - (tokens.input >> 1),
    output: tokens.output - (tokens.output >> 1),
    write5m: 0,
    write1h: 0,
    read: 0,
  };
  const second = { ...whole, input: tokens.input >> 1, output: tokens.output >> 1 };
  part.prompt = Math.max(...[first, second].map((one) => one.input + one.read + one.write5m + one.write1h));
  return [first, extra, second];
}

const pick = ({ input, output, write5m, write1h, read }) => ({ input, output, write5m, write1h, read });
