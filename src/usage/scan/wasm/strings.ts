import {
  block,
  branch,
  branchIf,
  bytes16,
  type Code,
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
import { is, isDigit, next, no } from "./idioms.ts";

/** Bytes that are the same, and JSON strings. */

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
