import type { Pattern, UnitTest } from "./matcher-syntax.ts";

/**
 * A test whether the pattern occurs anywhere in a text.
 *
 * `RegExp` goes back and tries again: `a.*b.*c.*d` takes seconds on five hundred characters. Here every step is tried once at
 * every place of the text, so the time is at most steps × places. Look-arounds repeat that for each place; a budget bounds
 * the whole, and where it ends the answer is yes: in doubt the hook runs.
 */
export function compileSearch(pattern: Pattern): (text: string) => boolean {
  const program = compile(pattern);
  return (text) => search(program, text);
}

const mostSteps = 1_000_000;

type Step =
  | { readonly do: "accept" }
  | { readonly do: "read"; readonly accepts: UnitTest; readonly by: 1 | -1; readonly next: number }
  | { readonly do: "fork"; readonly next: number[] }
  | { readonly do: "edge"; readonly at: "start" | "end" | "word" | "inside"; readonly next: number }
  | { readonly do: "look"; readonly entry: number; readonly wanted: boolean; readonly next: number };

interface Program {
  readonly steps: readonly Step[];
  readonly entry: number;
}

/** Built from the end: each part is given the step that follows it. Behind a place, texts are read backwards. */
function compile(pattern: Pattern): Program {
  const steps: Step[] = [{ do: "accept" }];
  const accept = 0;
  const add = (step: Step): number => steps.push(step) - 1;

  function part(node: Pattern, next: number, by: 1 | -1): number {
    switch (node.is) {
      case "unit":
        return add({ do: "read", accepts: node.accepts, by, next });
      case "edge":
        return add({ do: "edge", at: node.at, next });
      case "look":
        return add({ do: "look", entry: part(node.of, accept, node.ahead ? 1 : -1), wanted: node.wanted, next });
      case "choice":
        return add({ do: "fork", next: node.of.map((branch) => part(branch, next, by)) });
      case "sequence": {
        const inOrder = by === 1 ? node.of.toReversed() : node.of;
        return inOrder.reduce((after, piece) => part(piece, after, by), next);
      }
      case "loop": {
        const turns: number[] = [];
        const fork = add({ do: "fork", next: turns });
        const body = part(node.of, fork, by);
        turns.push(body, next);
        return node.least === 0 ? fork : body;
      }
    }
  }

  const entry = part(pattern, accept, 1);
  return { steps, entry };
}

function search({ steps, entry }: Program, text: string): boolean {
  const places = text.length + 1;
  /** The run in which a step was last tried at a place: what failed once fails again. */
  const tried = new Int32Array(steps.length * places);
  let runs = 0;
  let stepsLeft = mostSteps;

  function accepts(from: number, start: number, run: number): boolean {
    const open = [from, start];
    while (open.length > 0) {
      const place = open.pop() ?? 0;
      const index = open.pop() ?? 0;
      const cell = index * places + place;
      if (tried[cell] === run) continue;
      tried[cell] = run;
      if (--stepsLeft <= 0) return true;
      const step = steps[index];
      if (step === undefined || step.do === "accept") return true;
      if (step.do === "fork") for (const next of step.next) open.push(next, place);
      else if (step.do === "read") {
        const unit = text[step.by === 1 ? place : place - 1];
        if (unit !== undefined && step.accepts(unit)) open.push(step.next, place + step.by);
      } else if (step.do === "edge") {
        if (isEdge(step.at, text, place)) open.push(step.next, place);
      } else if (accepts(step.entry, place, ++runs) === step.wanted || stepsLeft <= 0) open.push(step.next, place);
    }
    return false;
  }

  const run = ++runs;
  for (let start = 0; start < places; start++) if (accepts(entry, start, run)) return true;
  return false;
}

function isEdge(at: "start" | "end" | "word" | "inside", text: string, place: number): boolean {
  if (at === "start") return place === 0;
  if (at === "end") return place === text.length;
  const between = isWord(text[place - 1]) !== isWord(text[place]);
  return at === "word" ? between : !between;
}

function isWord(unit: string | undefined): boolean {
  return unit !== undefined && /\w/.test(unit);
}

/**
 * Why a pattern could take very long on a short text, or undefined when it cannot: two loops side by side that want the same
 * text, or a loop that can read one text in several ways. (A loop inside a loop is refused while reading.)
 *
 * Every unit inside a loop is a place. What may follow a place inside its own loop must differ in its first unit, and what
 * the next loop begins with must differ from that, so that each unit read decides where the match goes on.
 */
export function hazardOf(pattern: Pattern): string | undefined {
  // Most patterns have one loop over one unit, such as `mcp__server__.*`: nothing for it to overlap with.
  const [first, second] = loopsIn(pattern);
  if (first === undefined || (second === undefined && first.of.is === "unit")) return undefined;
  const alphabet = alphabetOf(pattern);
  const masks = new Map<string, bigint>();
  let loops = 0;
  let hazard: string | undefined;

  function reach(node: Pattern, loop: number): Reach {
    switch (node.is) {
      case "unit":
        return loop === 0 ? needed : single({ mask: maskOf(node), follow: 0n, loop });
      case "edge":
        return passed;
      case "look":
        reach(node.of, 0);
        return passed;
      case "choice":
        return node.of.map((branch) => reach(branch, loop)).reduce(either);
      case "sequence":
        return node.of.map((part) => reach(part, loop)).reduce(joined, passed);
      case "loop":
        return looped(reach(node.of, ++loops), node.least);
    }
  }

  function joined(before: Reach, after: Reach): Reach {
    for (const from of before.last) for (const to of after.first) follow(from, to);
    return {
      nullable: before.nullable && after.nullable,
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
    };
  }

  function looped(body: Reach, least: 0 | 1): Reach {
    let begins = 0n;
    for (const place of body.first) {
      if (begins & place.mask) hazard ??= ambiguous;
      begins |= place.mask;
    }
    for (const from of body.last) for (const to of body.first) follow(from, to);
    return { ...body, nullable: body.nullable || least === 0 };
  }

  function follow(from: Place, to: Place): void {
    if (from.follow & to.mask) hazard ??= from.loop === to.loop ? ambiguous : adjacent;
    if (from.loop === to.loop) from.follow |= to.mask;
  }

  function maskOf({ source, accepts }: Extract<Pattern, { is: "unit" }>): bigint {
    let mask = masks.get(source);
    if (mask === undefined) {
      mask = alphabet.reduce((bits, unit, index) => (accepts(unit) ? bits | (1n << BigInt(index)) : bits), 0n);
      masks.set(source, mask);
    }
    return mask;
  }

  reach(pattern, 0);
  return hazard;
}

const ambiguous = "a repetition without a limit can read the same text in several ways";
const adjacent = "two repetitions without a limit stand side by side and can read the same text";

/** A unit inside a loop: what it accepts, and all that may come next inside the loop. */
interface Place {
  readonly mask: bigint;
  readonly loop: number;
  follow: bigint;
}

/** The places a part of the pattern can begin and end with. Units outside loops decide nothing and are left out. */
interface Reach {
  readonly nullable: boolean;
  readonly first: readonly Place[];
  readonly last: readonly Place[];
}

const needed: Reach = { nullable: false, first: [], last: [] };
const passed: Reach = { nullable: true, first: [], last: [] };

function single(place: Place): Reach {
  return { nullable: false, first: [place], last: [place] };
}

function either(a: Reach, b: Reach): Reach {
  return { nullable: a.nullable || b.nullable, first: [...a.first, ...b.first], last: [...a.last, ...b.last] };
}

/** Units at which what a pattern accepts can change; between two of them all units are treated alike. */
function alphabetOf(pattern: Pattern): string[] {
  const codes = new Set(Array.from({ length: 128 }, (_, code) => code));
  const add = (code: number) => [code - 1, code, code + 1].forEach((near) => void codes.add(near));
  for (const code of [0xa0, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]) add(code);
  for (const source of sourcesIn(pattern)) {
    for (const [, hex] of source.matchAll(/\\[xu]([0-9a-fA-F]{2,4})/g)) add(Number.parseInt(hex ?? "", 16));
    for (let index = 0; index < source.length; index++) add(source.charCodeAt(index));
  }
  return [...codes].filter((code) => code >= 0 && code <= 0xffff).map((code) => String.fromCharCode(code));
}

function* loopsIn(pattern: Pattern): Generator<Extract<Pattern, { is: "loop" }>> {
  if (pattern.is === "loop") yield pattern;
  if (pattern.is === "choice" || pattern.is === "sequence") for (const part of pattern.of) yield* loopsIn(part);
  else if (pattern.is === "look" || pattern.is === "loop") yield* loopsIn(pattern.of);
}

function* sourcesIn(pattern: Pattern): Generator<string> {
  if (pattern.is === "unit") yield pattern.source;
  else if (pattern.is === "choice" || pattern.is === "sequence") for (const part of pattern.of) yield* sourcesIn(part);
  else if (pattern.is !== "edge") yield* sourcesIn(pattern.of);
}
