import {
  block,
  branch,
  type Code,
  call,
  type Func,
  giveBack,
  i32,
  local,
  loop,
  type,
  unreachable,
  when,
} from "./assemble.ts";
import { is, isDigit, next, no } from "./idioms.ts";
import { fn } from "./layout.ts";

/** JSON values as bytes. */

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
