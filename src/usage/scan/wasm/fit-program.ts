import { slot } from "../shape.ts";
import {
  assemble,
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
  i64,
  local,
  loop,
  type,
  unreachable,
  when,
} from "./assemble.ts";

/** Where the program leaves its results in memory: five lists with one entry per kind of slot, and three words. */
export const results = {
  from: 0,
  to: 128,
  counts: 256,
  hashA: 512,
  hashB: 640,
  stopped: 768,
  passedAt: 772,
  passedTo: 776,
  size: 1024,
} as const;

/**
 * The inner loop of the scanner. It checks a line against a shape, and every value in the line for being JSON. In
 * JavaScript this took longer than all the rest together, compilation included; here sixteen bytes are looked at at once.
 *
 * Contract of all functions: positions go in and come out, -1 says "no". The byte at the end of a line is a control
 * character, so nothing runs past it, and sixteen bytes can be read anywhere before it.
 */
export function fitProgram(): Uint8Array<ArrayBuffer> {
  return assemble([isSame, skipString, plainEnd, skipScalar, skipValue, hash, fit], { fit: names.fit });
}

const names = { isSame: 0, skipString: 1, plainEnd: 2, skipScalar: 3, skipValue: 4, hash: 5, fit: 6 } as const;
const no: Code = i32.const(-1);
const is = (value: Code, byte: number): Code => i32.eq(value, i32.const(byte));
const isDigit = (byte: Code): Code => i32.less(i32.sub(byte, i32.const(0x30)), i32.const(10));
const next = (at: Code, count = 1): Code => i32.add(at, i32.const(count));

/** (one, other, length) → 1 when the bytes are the same. The last comparison overlaps the one before it. */
const isSame: Func = (() => {
  const one = local(0);
  const other = local(1);
  const length = local(2);
  const at = local(3);
  const last = (width: number): Code => i32.sub(length.get, i32.const(width));
  const differ64 = (offset: Code): Code =>
    i64.ne(i64.load(i32.add(one.get, offset)), i64.load(i32.add(other.get, offset)));
  const differ32 = (offset: Code): Code =>
    i32.ne(i32.load(i32.add(one.get, offset)), i32.load(i32.add(other.get, offset)));
  const differ16 = (offset: Code): Code =>
    i32.isZero(
      bytes16.allTrue(bytes16.eq(bytes16.load(i32.add(one.get, offset)), bytes16.load(i32.add(other.get, offset)))),
    );
  const differ8 = (offset: Code): Code =>
    i32.ne(i32.load8(i32.add(one.get, offset)), i32.load8(i32.add(other.get, offset)));
  const falseIf = (condition: Code): Code => when(condition, giveBack(i32.const(0)));
  return {
    parameters: 3,
    locals: [type.i32],
    body: [
      when(
        i32.atLeast(length.get, i32.const(16)),
        block(
          loop(
            branchIf(i32.atLeast(next(at.get, 16), length.get), 1),
            falseIf(differ16(at.get)),
            at.set(next(at.get, 16)),
            branch(0),
          ),
        ),
        falseIf(differ16(last(16))),
        giveBack(i32.const(1)),
      ),
      when(
        i32.atLeast(length.get, i32.const(8)),
        falseIf(differ64(i32.const(0))),
        falseIf(differ64(last(8))),
        giveBack(i32.const(1)),
      ),
      when(
        i32.atLeast(length.get, i32.const(4)),
        falseIf(differ32(i32.const(0))),
        falseIf(differ32(last(4))),
        giveBack(i32.const(1)),
      ),
      loop(
        when(i32.eq(at.get, length.get), giveBack(i32.const(1))),
        falseIf(differ8(at.get)),
        at.set(next(at.get)),
        branch(0),
      ),
      unreachable,
    ],
  };
})();

/** One bit for each of sixteen bytes that is a quote, a backslash or a control character. */
const specials = (sixteen: Code): Code =>
  bytes16.highBits(
    bytes16.or(
      bytes16.or(bytes16.eq(sixteen, bytes16.all(0x22)), bytes16.eq(sixteen, bytes16.all(0x5c))),
      bytes16.less(sixteen, bytes16.all(0x20)),
    ),
  );

/** (behind the opening quote) → behind the closing one. */
const skipString: Func = (() => {
  const p = local(0);
  const byte = local(1);
  const found = local(2);
  const sixteen = local(3);
  const isHexAt = (offset: number): Code => {
    const lower = i32.or(i32.load8(p.get, offset), i32.const(0x20));
    return i32.or(isDigit(i32.load8(p.get, offset)), i32.less(i32.sub(lower, i32.const(0x61)), i32.const(6)));
  };
  return {
    parameters: 1,
    locals: [type.i32, type.i32, type.v128],
    body: [
      loop(
        sixteen.set(bytes16.load(p.get)),
        found.set(specials(sixteen.get)),
        when(i32.isZero(found.get), p.set(next(p.get, 16)), branch(1)),
        p.set(i32.add(p.get, i32.trailingZeros(found.get))),
        byte.set(i32.load8(p.get)),
        p.set(next(p.get)),
        when(is(byte.get, 0x22), giveBack(p.get)),
        when(i32.less(byte.get, i32.const(0x20)), giveBack(no)),
        byte.set(i32.load8(p.get)),
        p.set(next(p.get)),
        // n first: most escapes are line breaks.
        branchIf(is(byte.get, 0x6e), 0),
        branchIf(is(byte.get, 0x22), 0),
        branchIf(is(byte.get, 0x5c), 0),
        branchIf(is(byte.get, 0x74), 0),
        branchIf(is(byte.get, 0x72), 0),
        branchIf(is(byte.get, 0x2f), 0),
        branchIf(is(byte.get, 0x62), 0),
        branchIf(is(byte.get, 0x66), 0),
        when(i32.ne(byte.get, i32.const(0x75)), giveBack(no)),
        when(i32.isZero(i32.and(i32.and(isHexAt(0), isHexAt(1)), i32.and(isHexAt(2), isHexAt(3)))), giveBack(no)),
        p.set(next(p.get, 4)),
        branch(0),
      ),
      unreachable,
    ],
  };
})();

/** (behind the opening quote) → the closing one, if all before it is ASCII without escapes. */
const plainEnd: Func = (() => {
  const p = local(0);
  const found = local(1);
  const sixteen = local(2);
  return {
    parameters: 1,
    locals: [type.i32, type.v128],
    body: [
      loop(
        sixteen.set(bytes16.load(p.get)),
        found.set(i32.or(specials(sixteen.get), bytes16.highBits(sixteen.get))),
        when(i32.isZero(found.get), p.set(next(p.get, 16)), branch(1)),
      ),
      p.set(i32.add(p.get, i32.trailingZeros(found.get))),
      when(is(i32.load8(p.get), 0x22), giveBack(p.get)),
      giveBack(no),
    ],
  };
})();

/** (where a number or one of the three words begins) → behind it. */
const skipScalar: Func = (() => {
  const p = local(0);
  const byte = local(1);
  const first = local(2);
  const skipDigits = loop(when(isDigit(i32.load8(p.get)), p.set(next(p.get)), branch(1)));
  /** At least one digit, else no. */
  const someDigits: readonly Code[] = [first.set(p.get), skipDigits, when(i32.eq(p.get, first.get), giveBack(no))];
  const word = (text: number, length: number): Code =>
    when(i32.eq(i32.load(p.get, length - 4), i32.const(text)), giveBack(next(p.get, length)));
  return {
    parameters: 1,
    locals: [type.i32, type.i32],
    body: [
      byte.set(i32.load8(p.get)),
      when(is(byte.get, 0x74), word(0x65757274, 4), giveBack(no)),
      when(is(byte.get, 0x6e), word(0x6c6c756e, 4), giveBack(no)),
      when(is(byte.get, 0x66), word(0x65736c61, 5), giveBack(no)),
      when(is(byte.get, 0x2d), p.set(next(p.get))),
      ...someDigits,
      // JSON writes no leading zeros.
      when(i32.and(is(i32.load8(first.get), 0x30), i32.greater(i32.sub(p.get, first.get), i32.const(1))), giveBack(no)),
      when(is(i32.load8(p.get), 0x2e), p.set(next(p.get)), ...someDigits),
      when(
        is(i32.or(i32.load8(p.get), i32.const(0x20)), 0x65),
        p.set(next(p.get)),
        byte.set(i32.load8(p.get)),
        when(i32.or(is(byte.get, 0x2b), is(byte.get, 0x2d)), p.set(next(p.get))),
        ...someDigits,
      ),
      giveBack(p.get),
    ],
  };
})();

/** (where a value begins) → behind it, all of it checked. Nesting deeper than thirty levels is left to the slow reader. */
const skipValue: Func = (() => {
  const p = local(0);
  const byte = local(1);
  const depth = local(2);
  /** One bit per level, the innermost lowest: set inside an object. */
  const objects = local(3);
  const noIf = (condition: Code): Code => when(condition, giveBack(no));
  const failed = (): Code => noIf(i32.eq(p.get, no));
  const inObject = i32.and(objects.get, i32.const(1));
  const skipKey: readonly Code[] = [
    noIf(i32.ne(i32.load8(p.get), i32.const(0x22))),
    p.set(call(names.skipString, next(p.get))),
    failed(),
    noIf(i32.ne(i32.load8(p.get), i32.const(0x3a))),
    p.set(next(p.get)),
  ];
  const enter = (isObject: number): readonly Code[] => [
    noIf(is(depth.get, 30)),
    depth.set(next(depth.get)),
    objects.set(i32.or(i32.shiftLeft(objects.get, i32.const(1)), i32.const(isObject))),
  ];
  return {
    parameters: 1,
    locals: [type.i32, type.i32, type.i32],
    body: [
      // Once around for each value.
      loop(
        byte.set(i32.load8(p.get)),
        block(
          when(is(byte.get, 0x22), p.set(call(names.skipString, next(p.get))), failed(), branch(1)),
          when(
            is(byte.get, 0x7b),
            p.set(next(p.get)),
            when(is(i32.load8(p.get), 0x7d), p.set(next(p.get)), branch(2)),
            ...enter(1),
            ...skipKey,
            branch(2),
          ),
          when(
            is(byte.get, 0x5b),
            p.set(next(p.get)),
            when(is(i32.load8(p.get), 0x5d), p.set(next(p.get)), branch(2)),
            ...enter(0),
            branch(2),
          ),
          p.set(call(names.skipScalar, p.get)),
          failed(),
        ),
        // What may follow a value: its level's end, as often as levels end, or a comma and the next one.
        loop(
          when(i32.isZero(depth.get), giveBack(p.get)),
          byte.set(i32.load8(p.get)),
          p.set(next(p.get)),
          when(is(byte.get, 0x2c), when(inObject, ...skipKey), branch(2)),
          // The two closing brackets are } for objects and ] for lists.
          noIf(i32.ne(byte.get, i32.add(i32.const(0x5d), i32.mul(inObject, i32.const(0x20))))),
          objects.set(i32.shiftRight(objects.get, i32.const(1))),
          depth.set(i32.sub(depth.get, i32.const(1))),
          branch(0),
        ),
      ),
      unreachable,
    ],
  };
})();

/** (from, to, kind of slot) → 0. The same hash as in calls/hash.ts, into the two lists of results. */
const hash: Func = (() => {
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
      i32.store(entry.get, a.get, results.hashA),
      i32.store(entry.get, i32.or(b.get, i32.const(1)), results.hashB),
      giveBack(i32.const(0)),
    ],
  };
})();

/** (where a shape lies, where a line begins) → where the shape ends in the line. The slots go to `results`. */
const fit: Func = (() => {
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
  const at = (address: number): Code => i32.const(address);
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
    f64.store(i32.shiftLeft(kind.get, i32.const(3)), value.get, results.counts),
  ];
  // Shapes that differ behind a long value need not check it again.
  const any: readonly Code[] = [
    when(i32.eq(p.get, i32.load(at(results.passedAt))), p.set(i32.load(at(results.passedTo))), branch(3)),
    from.set(p.get),
    p.set(call(names.skipValue, p.get)),
    failed(),
    when(
      i32.greater(i32.sub(p.get, from.get), i32.const(64)),
      i32.store(at(results.passedAt), from.get),
      i32.store(at(results.passedTo), p.get),
    ),
  ];
  const stop: readonly Code[] = [
    byte.set(is(i32.load8(p.get), 0x22)),
    i32.store(at(results.stopped), byte.get),
    when(byte.get, p.set(call(names.skipString, next(p.get))), failed(), branch(3)),
    p.set(call(names.skipScalar, p.get)),
    failed(),
  ];
  const text: readonly Code[] = [
    noIf(i32.ne(i32.load8(p.get), i32.const(0x22))),
    p.set(next(p.get)),
    i32.store(entry, p.get, results.from),
    // What is decoded may hold anything; what is compared must be plain.
    when(
      i32.less(kind.get, i32.const(slot.uuid)),
      p.set(call(names.skipString, p.get)),
      failed(),
      i32.store(entry, i32.sub(p.get, i32.const(1)), results.to),
      branch(2),
    ),
    from.set(p.get),
    p.set(call(names.plainEnd, p.get)),
    failed(),
    i32.store(entry, p.get, results.to),
    when(i32.atLeast(kind.get, i32.const(slot.id)), from.set(call(names.hash, from.get, p.get, kind.get))),
    p.set(next(p.get)),
  ];
  return {
    parameters: 2,
    locals: [type.i32, type.i32, type.i32, type.i32, type.i32, type.f64],
    body: [
      // A shape is a list of slots, three words each: where the shared bytes before it lie, how many they are, its kind.
      loop(
        same.set(i32.load(shape.get, 0)),
        length.set(i32.load(shape.get, 4)),
        kind.set(i32.load(shape.get, 8)),
        noIf(i32.isZero(call(names.isSame, same.get, p.get, length.get))),
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
