import { rank as ranks, type UsageRecord } from "../record.ts";
import type { NewShape, ScanMemory } from "./memory.ts";
import { constantAt, type LineKind, ofFile, openedAt, slot, slotAt } from "./shape.ts";

/** Takes in the shapes of lines that had to be parsed. */
export interface ShapeLearner {
  /**
   * A line that was parsed and is known to be what `kind` says; `record` is what an answer held. Lines whose shape would not
   * tell enough are passed over: blanks between tokens, a key that comes twice, several iterations, odd counts.
   */
  see(start: number, end: number, kind: LineKind, record: UsageRecord): void;
}

/** Where no two lines look alike, learning only costs; but the next file may be another program's. */
const mostRarely = 64;

/** Passes over the first `unlearned` lines: to learn a shape takes as long as to parse some of them. */
export function shapeLearner(memory: ScanMemory, unlearned = 0): ShapeLearner {
  let untilNext = unlearned + 1;
  let every = 1;
  return {
    see(start, end, kind, record) {
      if (--untilNext > 0) return;
      untilNext = every;
      const shape = shapeOf(memory, start, end, kind, record);
      if (shape === undefined || memory.addShape(shape)) return;
      // A hundred looks are none that we know: better to begin anew, and more slowly, than to compare with all of them.
      every = Math.min(every * 4, mostRarely);
      memory.forgetShapes();
      memory.addShape(shape);
    },
  };
}

function shapeOf(
  memory: ScanMemory,
  start: number,
  end: number,
  kind: LineKind,
  record: UsageRecord,
): NewShape | undefined {
  // Seen at once: another program's blanks, a written cost, parts beside the call.
  if (memory.bytes[start + 1] !== 0x22 || record.parts.length > 0 || !Number.isNaN(record.written)) return undefined;
  const line = memory.bytes.toString("latin1", start, end);
  const notes = notesOn(line, kind, record);
  return notes === undefined ? undefined : shapeFrom(line, notes, kind, record);
}

function shapeFrom(line: string, notes: readonly Note[], kind: LineKind, { rank }: UsageRecord): NewShape {
  let at = 0;
  const slots = notes.map(({ slot: of, from, to }) => {
    const before = line.slice(at, from);
    at = to;
    return { kind: of, before };
  });
  return { kind, rank, slots };
}

/** A stretch of the line that may be different in the next one. */
interface Note {
  readonly slot: number;
  readonly from: number;
  readonly to: number;
}

function notesOn(line: string, kind: LineKind, record: UsageRecord): readonly Note[] | undefined {
  const notes: Note[] = [];
  const seen = new Set<string>();
  const isAnswer = kind === "answer";
  const copied = isAnswer && record.rank === ranks.copy;
  /** Where lines that are no answers have said all that matters. */
  let done = -1;

  const end = object(0, "", "");
  if (end === undefined || (isAnswer && end !== line.length)) return undefined;
  notes.push({ slot: slot.end, from: isAnswer ? end : done, to: end });
  return notes;

  /** One past the object at `at`; undefined when the line cannot be learned. `path` is for the tables, `place` is unique. */
  function object(at: number, path: string, place: string): number | undefined {
    if (line[at] !== "{") return undefined;
    if (line[at + 1] === "}") return at + 2;
    for (let p = at + 1; ; p++) {
      const keyEnd = textEnd(line, p);
      if (keyEnd === undefined || line[keyEnd] !== ":") return undefined;
      const name = line.slice(p + 1, keyEnd - 1);
      const next = value(keyEnd + 1, path === "" ? name : `${path}.${name}`, place === "" ? name : `${place}.${name}`);
      if (next === undefined || done >= 0) return next;
      p = next;
      if (line[p] === "}") return p + 1;
      if (line[p] !== ",") return undefined;
    }
  }

  function value(at: number, path: string, place: string): number | undefined {
    if (seen.has(place) || path === "costUSD" || path.includes("\\")) return undefined;
    seen.add(place);
    if (!isAnswer && place === "attachment") {
      done = at;
      return at;
    }
    const first = line[at];
    if (copied && place === "data") return object(at, "data", place);
    if (copied && place === "data.message") return object(at, "", place);
    const isOpened = !copied || place.startsWith("data.message.");
    if (isOpened && first === "{" && openedAt.has(path)) return object(at, path, place);
    if (isOpened && first === "[" && path === "message.usage.iterations") return iterations(at, place);
    const to = valueEnd(line, at);
    if (to === undefined) return undefined;
    if (!isAnswer && place === "type") {
      done = to;
      return to;
    }
    return note(at, to, slotPath(path, place)) ? to : undefined;
  }

  /** A list of one iteration, or of none: then the call's own counts say it all, as the record shows. */
  function iterations(at: number, place: string): number | undefined {
    if (line[at + 1] === "]") return at + 2;
    const to = object(at + 1, "message.usage.iterations", place);
    return to !== undefined && line[to] === "]" && record.parts.length === 0 ? to + 1 : undefined;
  }

  /** What a progress line says of itself is nothing to the copy in it, except where it ran; and the other way round. */
  function slotPath(path: string, place: string): string {
    if (!copied) return path;
    if (place === "data.agentId") return "agentId";
    if (path === "agentId") return "spoiled";
    if (place.startsWith("data.message.")) return ofFile.has(path) ? "beside" : path;
    if (path === "requestId") return "spoiled";
    return ofFile.has(path) || constantAt.has(path) ? path : "beside";
  }

  /** False when this value keeps the line from being learned. */
  function note(from: number, to: number, path: string): boolean {
    if (path === "spoiled") return false;
    // Nothing in the place of an object that is looked into: where the object is there, the line has another shape.
    if (constantAt.has(path) || (openedAt.has(path) && !slotAt.has(path))) return true;
    const written = line.slice(from, to);
    const isText = written.startsWith('"');
    const isCount = /^\d{1,15}$/.test(written);
    const found = slotAt.get(path) ?? (isCount && path.startsWith("message.usage.") ? slot.number : slot.any);
    if (found >= slot.number && !isCount) return false;
    if (found === slot.stop && !isText && written !== "null") return false;
    // Where a text should be, anything else is none, and part of the shape.
    if (found >= slot.number || found === slot.any || found === slot.stop || isText)
      notes.push({ slot: found, from, to });
    return true;
  }
}

/** One past the string that begins at `at`. */
function textEnd(line: string, at: number): number | undefined {
  const pattern = /"(?:[^"\\]|\\.)*"/y;
  pattern.lastIndex = at;
  return pattern.test(line) ? pattern.lastIndex : undefined;
}

/** One past the value that begins at `at`. The line is known to be JSON, so only brackets outside of strings count. */
function valueEnd(line: string, at: number): number | undefined {
  if (line[at] !== "{" && line[at] !== "[") {
    const scalar = /"(?:[^"\\]|\\.)*"|[^\s,\]}"]+/y;
    scalar.lastIndex = at;
    return scalar.test(line) ? scalar.lastIndex : undefined;
  }
  const token = /"(?:[^"\\]|\\.)*"|[[\]{}]/g;
  token.lastIndex = at;
  for (let depth = 0; ; ) {
    const found = token.exec(line)?.[0];
    if (found === undefined) return undefined;
    if (found === "{" || found === "[") depth++;
    else if (found === "}" || found === "]") depth--;
    if (depth === 0) return token.lastIndex;
  }
}
