import { slot } from "../shape.ts";
import {
  block,
  branch,
  branchIf,
  bytes16,
  type Code,
  call,
  type Func,
  f64,
  giveBack,
  i32,
  local,
  loop,
  type,
  unreachable,
  when,
} from "./assemble.ts";
import { at, event, fn, lineKind, shapeAt, texts } from "./layout.ts";

/** A chunk of a file, line by line. */

const no: Code = i32.const(-1);
const is = (value: Code, byte: number): Code => i32.eq(value, i32.const(byte));
const next = (place: Code, count = 1): Code => i32.add(place, i32.const(count));
const wordAt = (address: number): Code => i32.load(i32.const(address));
const setWord = (address: number, value: Code): Code => i32.store(i32.const(address), value);

/** (from) → the next newline. Contract: there is one. */
export const findNewline: Func = (() => {
  const p = local(0);
  const found = local(1);
  const isNewline = (offset: number): Code => bytes16.eq(bytes16.load(next(p.get, offset)), bytes16.all(0x0a));
  return {
    parameters: 1,
    locals: [type.i32],
    body: [
      block(
        loop(
          branchIf(
            bytes16.anyTrue(
              bytes16.or(bytes16.or(isNewline(0), isNewline(16)), bytes16.or(isNewline(32), isNewline(48))),
            ),
            1,
          ),
          p.set(next(p.get, 64)),
          branch(0),
        ),
      ),
      loop(found.set(bytes16.highBits(isNewline(0))), when(i32.isZero(found.get), p.set(next(p.get, 16)), branch(1))),
      giveBack(i32.add(p.get, i32.trailingZeros(found.get))),
    ],
  };
})();

const lookedAtBytes = 1024;

/**
 * (behind the type, end) → 1 when a line that is no answer ends as it should. One that does not may be damaged, and one that
 * ends like an answer may hold an answer glued behind a stub.
 */
export const endsWell: Func = (() => {
  const p = local(0);
  const end = local(1);
  const found = local(2);
  const at16 = (offset: number, byte: number): Code => bytes16.eq(bytes16.load(next(p.get, offset)), bytes16.all(byte));
  const place = i32.add(p.get, i32.trailingZeros(found.get));
  const length = texts.answerType.length;
  return {
    parameters: 2,
    locals: [type.i32],
    body: [
      when(i32.ne(i32.load8(i32.sub(end.get, i32.const(1))), i32.const(0x7d)), giveBack(i32.const(0))),
      when(i32.greater(end.get, next(p.get, lookedAtBytes)), p.set(i32.sub(end.get, i32.const(lookedAtBytes)))),
      loop(
        when(i32.greater(next(p.get, length), end.get), giveBack(i32.const(1))),
        // Two quotes and the letters behind them, where "type":"assistant" has them.
        found.set(
          bytes16.highBits(
            bytes16.and(bytes16.and(at16(0, 0x22), at16(1, 0x74)), bytes16.and(at16(7, 0x22), at16(8, 0x61))),
          ),
        ),
        block(
          loop(
            branchIf(i32.isZero(found.get), 1),
            when(
              i32.isZero(i32.greater(next(place, length), end.get)),
              when(call(fn.isSame, place, i32.const(at.answerType), i32.const(length)), giveBack(i32.const(0))),
            ),
            // The lowest bit goes.
            found.set(i32.and(found.get, i32.sub(found.get, i32.const(1)))),
            branch(0),
          ),
        ),
        p.set(next(p.get, 16)),
        branch(0),
      ),
      unreachable,
    ],
  };
})();

/** (behind the type) → 1 when a tool's result follows, as every client writes it. */
export const isResult: Func = (() => {
  const p = local(0);
  const begins = (address: number, text: string): Code =>
    call(fn.isSame, p.get, i32.const(address), i32.const(text.length));
  return {
    parameters: 1,
    locals: [],
    body: [
      giveBack(i32.or(begins(at.resultFront, texts.resultFront), begins(at.otherResultFront, texts.otherResultFront))),
    ],
  };
})();

/**
 * (where a line begins) → the shape it has, 0 for none. Lines follow each other in habits: the shape that followed the last
 * one the last time is tried first. Shapes that fit move one place to the front.
 */
export const find: Func = (() => {
  const start = local(0);
  const shape = local(1);
  const stopped = local(2);
  const place = local(3);
  const last = local(4);
  const swapped = local(5);
  const fits = i32.ne(stopped.tee(call(fn.fit, shape.get, start.get)), no);
  const keep = setWord(at.stoppedAt, stopped.get);
  const search = (list: number, count: number, found: readonly Code[]): readonly Code[] => [
    place.set(i32.const(list)),
    last.set(i32.add(i32.const(list), i32.shiftLeft(wordAt(count), i32.const(2)))),
    block(
      loop(
        branchIf(i32.eq(place.get, last.get), 1),
        shape.set(i32.load(place.get)),
        when(
          fits,
          keep,
          when(
            i32.ne(place.get, i32.const(list)),
            swapped.set(i32.load(i32.sub(place.get, i32.const(4)))),
            i32.store(i32.sub(place.get, i32.const(4)), shape.get),
            i32.store(place.get, swapped.get),
          ),
          ...found,
          giveBack(shape.get),
        ),
        place.set(next(place.get, 4)),
        branch(0),
      ),
    ),
  ];
  return {
    parameters: 1,
    locals: [type.i32, type.i32, type.i32, type.i32, type.i32],
    body: [
      setWord(at.passedAt, no),
      when(
        wordAt(at.previous),
        shape.set(i32.load(wordAt(at.previous), shapeAt.next)),
        when(shape.get, when(fits, keep, setWord(at.previous, shape.get), giveBack(shape.get))),
      ),
      ...search(at.shapes, at.shapeCount, [
        when(wordAt(at.previous), i32.store(wordAt(at.previous), shape.get, shapeAt.next)),
        setWord(at.previous, shape.get),
      ]),
      // Last: the front of a progress line does not tell whether it holds the copy of an answer.
      ...search(at.progressShapes, at.progressCount, []),
      giveBack(i32.const(0)),
    ],
  };
})();

/** (end of what was read) → why it stopped. Goes on behind the line that was read last. */
export const run: Func = (() => {
  const filled = local(0);
  const start = local(1);
  const end = local(2);
  const shape = local(3);
  const kind = local(4);
  const slotKind = local(5);
  const showIf = (condition: Code, what: number): Code => when(condition, giveBack(i32.const(what)));
  const stopped = wordAt(at.stoppedAt);
  const countAt = (list: number): Code => f64.load(i32.shiftLeft(slotKind.get, i32.const(3)), list);
  /** Leaves the block around it when the answer is not the one of the line before, with the same counts. */
  const isRepeat: readonly Code[] = [
    branchIf(i32.ne(shape.get, wordAt(at.lastShape)), 0),
    branchIf(i32.ne(wordAt(at.hashA + 4 * slot.id), wordAt(at.lastHashA)), 0),
    branchIf(i32.ne(wordAt(at.hashB + 4 * slot.id), wordAt(at.lastHashB)), 0),
    branchIf(i32.ne(wordAt(at.hashB + 4 * slot.request), wordAt(at.lastRequest)), 0),
    branchIf(i32.ne(wordAt(at.stopped), wordAt(at.lastStopped)), 0),
    slotKind.set(i32.const(slot.input)),
    block(
      loop(
        branchIf(i32.greater(slotKind.get, i32.const(slot.thinking)), 1),
        when(
          i32.and(i32.shiftRight(i32.load(shape.get, shapeAt.has), slotKind.get), i32.const(1)),
          branchIf(f64.ne(countAt(at.counts), countAt(at.lastCounts)), 3),
        ),
        slotKind.set(next(slotKind.get)),
        branch(0),
      ),
    ),
  ];
  const remember: readonly Code[] = [
    setWord(at.lastShape, shape.get),
    setWord(at.lastHashA, wordAt(at.hashA + 4 * slot.id)),
    setWord(at.lastHashB, wordAt(at.hashB + 4 * slot.id)),
    setWord(at.lastRequest, wordAt(at.hashB + 4 * slot.request)),
    setWord(at.lastStopped, wordAt(at.stopped)),
    slotKind.set(i32.const(slot.input)),
    loop(
      f64.store(i32.shiftLeft(slotKind.get, i32.const(3)), countAt(at.counts), at.lastCounts),
      slotKind.set(next(slotKind.get)),
      branchIf(i32.less(slotKind.get, i32.const(slot.thinking + 1)), 0),
    ),
  ];
  return {
    parameters: 1,
    locals: [type.i32, type.i32, type.i32, type.i32, type.i32],
    body: [
      // Once around for each line.
      loop(
        start.set(wordAt(at.next)),
        end.set(call(fn.findNewline, start.get)),
        showIf(i32.atLeast(end.get, filled.get), event.done),
        setWord(at.next, next(end.get)),
        setWord(at.lines, next(wordAt(at.lines))),
        setWord(at.lineFrom, start.get),
        when(
          i32.greater(end.get, start.get),
          when(is(i32.load8(i32.sub(end.get, i32.const(1))), 0x0d), end.set(i32.sub(end.get, i32.const(1)))),
        ),
        setWord(at.lineTo, end.get),
        branchIf(i32.eq(start.get, end.get), 0),
        shape.set(call(fn.find, start.get)),
        showIf(i32.isZero(shape.get), event.unknown),
        showIf(wordAt(at.showAll), event.parse),
        kind.set(i32.load(shape.get, shapeAt.kind)),
        when(
          is(kind.get, lineKind.answer),
          showIf(i32.ne(stopped, end.get), event.parse),
          block(...isRepeat, branch(2)),
          ...remember,
          giveBack(i32.const(event.answer)),
        ),
        showIf(i32.isZero(call(fn.endsWell, stopped, end.get)), event.parse),
        branchIf(is(kind.get, lineKind.other), 0),
        showIf(is(kind.get, lineKind.telling), event.parse),
        showIf(is(kind.get, lineKind.progress), event.progress),
        branchIf(i32.isZero(wordAt(at.isMain)), 0),
        branchIf(call(fn.isResult, stopped), 0),
        giveBack(i32.const(event.user)),
      ),
      unreachable,
    ],
  };
})();
