import { slot } from "../shape.ts";
import {
  block,
  branch,
  branchIf,
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
import { is, next, setWord, wordAt } from "./idioms.ts";
import { at, event, fn, lineKind, shapeAt } from "./layout.ts";

/** A chunk of a file, line by line. */

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
