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
import { is, next, no, setWord, wordAt } from "./idioms.ts";
import { at, fn, shapeAt } from "./layout.ts";

/** A line against one shape. */

/** (from, to, kind of slot) → 0. The same hash as in calls/hash.ts, into the two lists of at. */
export const hash: Func = (() => {
  const p = local(0);
  const to = local(1);
  const entry = local(2);
  const a = local(3);
  const b = local(4);
  const byte = local(5);
  const mix = (value: Code, other: Code): Code => i32.xor(value, other);
  return {
    parameters: 3,
    locals: [type.i32, type.i32, type.i32],
    body: [
      entry.set(i32.shiftLeft(entry.get, i32.const(2))),
      a.set(mix(i32.const(0x811c9dc5 | 0), i32.sub(to.get, p.get))),
      b.set(i32.const(0x9747b28c | 0)),
      block(
        loop(
          branchIf(i32.eq(p.get, to.get), 1),
          byte.set(i32.load8(p.get)),
          a.set(i32.mul(mix(a.get, byte.get), i32.const(0x01000193))),
          b.set(i32.add(i32.mul(b.get, i32.const(0x5bd1e995)), byte.get)),
          p.set(next(p.get)),
          branch(0),
        ),
      ),
      a.set(mix(a.get, i32.shiftRight(a.get, i32.const(15)))),
      a.set(i32.mul(a.get, i32.const(0x2c1b3c6d))),
      a.set(mix(a.get, i32.shiftRight(a.get, i32.const(12)))),
      b.set(mix(b.get, i32.shiftRight(b.get, i32.const(16)))),
      b.set(i32.mul(mix(b.get, a.get), i32.const(0x297a2d39))),
      b.set(mix(b.get, i32.shiftRight(b.get, i32.const(15)))),
      i32.store(entry.get, a.get, at.hashA),
      i32.store(entry.get, i32.or(b.get, i32.const(1)), at.hashB),
      giveBack(i32.const(0)),
    ],
  };
})();

/** (where a shape lies, where a line begins) → where the shape ends in the line. The slots go to `results`. */
export const fit: Func = (() => {
  const shape = local(0);
  const p = local(1);
  const kind = local(2);
  const length = local(3);
  const same = local(4);
  const from = local(5);
  const byte = local(6);
  const value = local(7);
  const noIf = (condition: Code): Code => when(condition, giveBack(no));
  const failed = (): Code => noIf(i32.eq(p.get, no));
  const entry = i32.shiftLeft(kind.get, i32.const(2));
  const count: readonly Code[] = [
    from.set(p.get),
    value.set(f64.const(0)),
    loop(
      byte.set(i32.sub(i32.load8(p.get), i32.const(0x30))),
      when(
        i32.less(byte.get, i32.const(10)),
        value.set(f64.add(f64.mul(value.get, f64.const(10)), f64.fromInt(byte.get))),
        p.set(next(p.get)),
        branch(1),
      ),
    ),
    length.set(i32.sub(p.get, from.get)),
    // No number, one too long to be exact, or one that JSON does not know (007).
    noIf(i32.isZero(length.get)),
    noIf(i32.greater(length.get, i32.const(15))),
    noIf(i32.and(i32.greater(length.get, i32.const(1)), is(i32.load8(from.get), 0x30))),
    f64.store(i32.shiftLeft(kind.get, i32.const(3)), value.get, at.counts),
  ];
  // Shapes that differ behind a long value need not check it again.
  const any: readonly Code[] = [
    when(i32.eq(p.get, wordAt(at.passedAt)), p.set(wordAt(at.passedTo)), branch(3)),
    from.set(p.get),
    p.set(call(fn.skipValue, p.get)),
    failed(),
    when(
      i32.greater(i32.sub(p.get, from.get), i32.const(64)),
      setWord(at.passedAt, from.get),
      setWord(at.passedTo, p.get),
    ),
  ];
  const stop: readonly Code[] = [
    byte.set(is(i32.load8(p.get), 0x22)),
    setWord(at.stopped, byte.get),
    when(byte.get, p.set(call(fn.skipString, next(p.get))), failed(), branch(3)),
    p.set(call(fn.skipScalar, p.get)),
    failed(),
  ];
  const text: readonly Code[] = [
    noIf(i32.ne(i32.load8(p.get), i32.const(0x22))),
    p.set(next(p.get)),
    i32.store(entry, p.get, at.from),
    // What is decoded may hold anything; what is compared must be plain.
    when(
      i32.less(kind.get, i32.const(slot.uuid)),
      p.set(call(fn.skipString, p.get)),
      failed(),
      i32.store(entry, i32.sub(p.get, i32.const(1)), at.to),
      branch(2),
    ),
    from.set(p.get),
    p.set(call(fn.plainEnd, p.get)),
    failed(),
    i32.store(entry, p.get, at.to),
    // Of the kinds from `id` to `ancestor`: the others are not looked up.
    when(
      i32.less(i32.sub(kind.get, i32.const(slot.id)), i32.const(slot.tier - slot.id)),
      from.set(call(fn.hash, from.get, p.get, kind.get)),
    ),
    p.set(next(p.get)),
  ];
  return {
    parameters: 2,
    locals: [type.i32, type.i32, type.i32, type.i32, type.i32, type.f64],
    body: [
      shape.set(next(shape.get, shapeAt.slots)),
      loop(
        same.set(i32.load(shape.get, 0)),
        length.set(i32.load(shape.get, 4)),
        kind.set(i32.load(shape.get, 8)),
        noIf(i32.isZero(call(fn.isSame, same.get, p.get, length.get))),
        p.set(i32.add(p.get, length.get)),
        when(i32.isZero(kind.get), giveBack(p.get)),
        shape.set(next(shape.get, 12)),
        block(
          when(i32.atLeast(kind.get, i32.const(slot.number)), ...count, branch(1)),
          when(is(kind.get, slot.any), ...any, branch(1)),
          when(is(kind.get, slot.stop), ...stop, branch(1)),
          ...text,
        ),
        branch(0),
      ),
      unreachable,
    ],
  };
})();
