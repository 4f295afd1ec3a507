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
