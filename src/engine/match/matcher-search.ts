import type { Pattern, UnitTest } from "./matcher-syntax.ts";

/**
 * Compiles a test whether the pattern occurs anywhere in a text.
 *
 * `RegExp` backtracks: `a.*b.*c.*d` takes seconds on 500 characters. This search tries each step at most once at each position
 * of the text, so its time is bounded by steps × positions. A look-around repeats that for each position; a budget limits the
 * total. When the budget is used up the result is true: in doubt the hook runs.
 */
export function compileSearch(pattern: Pattern): (text: string) => boolean {
  const program = compile(pattern);
  return (text) => search(program, text);
}

const maxSteps = 1_000_000;

type Step =
  | { readonly do: "accept" }
  | { readonly do: "read"; readonly accepts: UnitTest; readonly by: 1 | -1; readonly next: number }
  | { readonly do: "fork"; readonly next: number[] }
  | { readonly do: "edge"; readonly at: Edge; readonly next: number }
  | { readonly do: "look"; readonly entry: number; readonly positive: boolean; readonly next: number };

type Edge = Extract<Pattern, { is: "edge" }>["at"];

/** Built from the end: each part gets the index of the step that follows it. A look-behind reads backwards (`by` is -1). */
function compile(pattern: Pattern) {
  const steps: Step[] = [{ do: "accept" }];
  const accept = 0;
  const add = (step: Step): number => steps.push(step) - 1;

  function addPart(node: Pattern, next: number, by: 1 | -1): number {
    switch (node.is) {
      case "unit":
        return add({ do: "read", accepts: node.accepts, by, next });
      case "edge":
        return add({ do: "edge", at: node.at, next });
      case "look":
        return add({ do: "look", entry: addPart(node.of, accept, node.ahead ? 1 : -1), positive: node.positive, next });
      case "choice":
        return add({ do: "fork", next: node.of.map((branch) => addPart(branch, next, by)) });
      case "sequence": {
        const inOrder = by === 1 ? node.of.toReversed() : node.of;
        return inOrder.reduce((following, part) => addPart(part, following, by), next);
      }
      case "loop": {
        const branches: number[] = [];
        const fork = add({ do: "fork", next: branches });
        const body = addPart(node.of, fork, by);
        branches.push(body, next);
        return node.least === 0 ? fork : body;
      }
    }
  }

  const entry = addPart(pattern, accept, 1);
  return { steps, entry };
}

function search({ steps, entry }: ReturnType<typeof compile>, text: string): boolean {
  const positions = text.length + 1;
  /** The run in which a step was last tried at a position. A step that failed once fails again. */
  const triedInRun = new Int32Array(steps.length * positions);
  let runs = 0;
  let stepsLeft = maxSteps;

  function accepts(from: number, start: number, run: number): boolean {
    const stack = [from, start];
    while (stack.length > 0) {
      const position = stack.pop() ?? 0;
      const index = stack.pop() ?? 0;
      const cell = index * positions + position;
      if (triedInRun[cell] === run) continue;
      triedInRun[cell] = run;
      if (--stepsLeft <= 0) return true;
      const step = steps[index];
      if (step === undefined || step.do === "accept") return true;
      if (step.do === "fork") for (const next of step.next) stack.push(next, position);
      else if (step.do === "read") {
        const unit = text[step.by === 1 ? position : position - 1];
        if (unit !== undefined && step.accepts(unit)) stack.push(step.next, position + step.by);
      } else if (step.do === "edge") {
        if (isEdge(step.at, text, position)) stack.push(step.next, position);
      } else if (accepts(step.entry, position, ++runs) === step.positive || stepsLeft <= 0) {
        stack.push(step.next, position);
      }
    }
    return false;
  }

  const run = ++runs;
  for (let start = 0; start < positions; start++) if (accepts(entry, start, run)) return true;
  return false;
}

function isEdge(at: Edge, text: string, position: number): boolean {
  if (at === "start") return position === 0;
  if (at === "end") return position === text.length;
  const isBoundary = isWordUnit(text[position - 1]) !== isWordUnit(text[position]);
  return at === "word" ? isBoundary : !isBoundary;
}

function isWordUnit(unit: string | undefined): boolean {
  return unit !== undefined && /\w/.test(unit);
}

/**
 * Why `RegExp` could take very long for the pattern on a short text, or undefined when it could not. The reasons are two adjacent
 * loops that can read the same text, and a loop that can read one text in several ways. (The parser refuses nested loops.)
 *
 * The units that can follow a unit inside its loop must not overlap each other, nor the units that the next loop can start with.
 * Then each unit that is read decides where the match continues.
 */
export function hazardOf(pattern: Pattern): string | undefined {
  // Most patterns have one loop over one unit, such as `mcp__server__.*`. It has nothing to overlap with.
  const [first, second] = partsIn(pattern, "loop");
  if (first === undefined || (second === undefined && first.of.is === "unit")) return undefined;
  const alphabet = alphabetOf(pattern);
  const masks = new Map<string, bigint>();
  let loops = 0;
  let hazard: string | undefined;

  function reach(node: Pattern, loop: number): Reach {
    switch (node.is) {
      case "unit":
        return loop === 0 ? outsideLoops : loopUnit(maskOf(node), loop);
      case "edge":
        return zeroWidth;
      case "look":
        reach(node.of, 0);
        return zeroWidth;
      case "choice":
        return node.of.map((branch) => reach(branch, loop)).reduce(eitherOf);
      case "sequence":
        return node.of.map((part) => reach(part, loop)).reduce(inSequence, zeroWidth);
      case "loop":
        return inLoop(reach(node.of, ++loops), node.least);
    }
  }

  function inSequence(before: Reach, after: Reach): Reach {
    for (const from of before.last) for (const to of after.first) follow(from, to);
    return {
      nullable: before.nullable && after.nullable,
      first: before.nullable ? [...before.first, ...after.first] : before.first,
      last: after.nullable ? [...before.last, ...after.last] : after.last,
    };
  }

  function inLoop(body: Reach, least: 0 | 1): Reach {
    let starts = 0n;
    for (const unit of body.first) {
      if (starts & unit.mask) hazard ??= ambiguous;
      starts |= unit.mask;
    }
    for (const from of body.last) for (const to of body.first) follow(from, to);
    return { ...body, nullable: body.nullable || least === 0 };
  }

  function follow(from: LoopUnit, to: LoopUnit): void {
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

const ambiguous = "an unlimited repetition can read the same text in several ways";
const adjacent = "two unlimited repetitions follow each other and can read the same text";

/** A unit inside a loop. The masks are sets of letters of the alphabet: the ones it accepts, and the ones that may follow in the loop. */
interface LoopUnit {
  readonly mask: bigint;
  readonly loop: number;
  follow: bigint;
}

/** The loop units that a part of the pattern can start and end with. Units outside of loops are left out. */
interface Reach {
  /** Whether the part can match the empty text. */
  readonly nullable: boolean;
  readonly first: readonly LoopUnit[];
  readonly last: readonly LoopUnit[];
}

const outsideLoops: Reach = { nullable: false, first: [], last: [] };
const zeroWidth: Reach = { nullable: true, first: [], last: [] };

function loopUnit(mask: bigint, loop: number): Reach {
  const unit = { mask, follow: 0n, loop };
  return { nullable: false, first: [unit], last: [unit] };
}

function eitherOf(a: Reach, b: Reach): Reach {
  return { nullable: a.nullable || b.nullable, first: [...a.first, ...b.first], last: [...a.last, ...b.last] };
}

/** A representative for each range of units that the pattern treats alike. */
function alphabetOf(pattern: Pattern): string[] {
  const codes = new Set(Array.from({ length: 128 }, (_, code) => code));
  const add = (code: number) => [code - 1, code, code + 1].forEach((near) => void codes.add(near));
  for (const code of [0xa0, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]) add(code);
  for (const { source } of partsIn(pattern, "unit")) {
    for (const [, hex] of source.matchAll(/\\[xu]([0-9a-fA-F]{2,4})/g)) add(Number.parseInt(hex ?? "", 16));
    for (let index = 0; index < source.length; index++) add(source.charCodeAt(index));
  }
  return [...codes].filter((code) => code >= 0 && code <= 0xffff).map((code) => String.fromCharCode(code));
}

/** The parts of one kind, in order. */
function* partsIn<Kind extends Pattern["is"]>(pattern: Pattern, kind: Kind): Generator<Extract<Pattern, { is: Kind }>> {
  if (pattern.is === kind) yield pattern as Extract<Pattern, { is: Kind }>;
  if (!("of" in pattern)) return;
  for (const part of [pattern.of].flat()) yield* partsIn(part, kind);
}
