import {
  block,
  branch,
  branchIf,
  bytes16,
  type Code,
  call,
  type Func,
  giveBack,
  i32,
  i64,
  local,
  loop,
  type,
  unreachable,
  when,
} from "./assemble.ts";
import { fn } from "./layout.ts";

/** JSON values as bytes. */

const no: Code = i32.const(-1);
const is = (value: Code, byte: number): Code => i32.eq(value, i32.const(byte));
const isDigit = (byte: Code): Code => i32.less(i32.sub(byte, i32.const(0x30)), i32.const(10));
const next = (at: Code, count = 1): Code => i32.add(at, i32.const(count));

/** (one, other, length) → 1 when the bytes are the same. The last comparison overlaps the one before it. */
export const isSame: Func = (() => {
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
export const skipString: Func = (() => {
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
export const plainEnd: Func = (() => {
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
export const skipScalar: Func = (() => {
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
export const skipValue: Func = (() => {
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
    p.set(call(fn.skipString, next(p.get))),
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
          when(is(byte.get, 0x22), p.set(call(fn.skipString, next(p.get))), failed(), branch(1)),
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
          p.set(call(fn.skipScalar, p.get)),
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
