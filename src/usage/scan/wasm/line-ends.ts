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
  local,
  loop,
  type,
  unreachable,
  when,
} from "./assemble.ts";
import { next } from "./idioms.ts";
import { at, fn, texts } from "./layout.ts";

/** Where lines end, and whether they end as they should. */

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

/** How much of a line's end is looked at: behind its content an answer holds less than this. */
const lookedAtBytes = 2048;

/**
 * (behind the type, end) → 1 when a line that is no answer ends as it should. One that does not may be damaged, and one that
 * ends like an answer may hold an answer glued behind a stub: by its type, or by its stop reason where the type came first.
 */
export const endsWell: Func = (() => {
  const p = local(0);
  const end = local(1);
  const found = local(2);
  const at16 = (offset: number, byte: number): Code => bytes16.eq(bytes16.load(next(p.get, offset)), bytes16.all(byte));
  const place = i32.add(p.get, i32.trailingZeros(found.get));
  /** Of `"type":"assistant"` and `"stop_reason":`, a few bytes at their distances: what has those is compared whole. */
  const isTypeLike = bytes16.and(bytes16.and(at16(1, 0x74), at16(7, 0x22)), at16(8, 0x61));
  const isStopLike = bytes16.and(bytes16.and(at16(1, 0x73), at16(12, 0x22)), at16(13, 0x3a));
  const noIfHere = (address: number, text: string): Code =>
    when(
      i32.isZero(i32.greater(next(place, text.length), end.get)),
      when(call(fn.isSame, place, i32.const(address), i32.const(text.length)), giveBack(i32.const(0))),
    );
  return {
    parameters: 2,
    locals: [type.i32],
    body: [
      when(i32.ne(i32.load8(i32.sub(end.get, i32.const(1))), i32.const(0x7d)), giveBack(i32.const(0))),
      when(i32.greater(end.get, next(p.get, lookedAtBytes)), p.set(i32.sub(end.get, i32.const(lookedAtBytes)))),
      loop(
        when(i32.greater(next(p.get, texts.stopFront.length), end.get), giveBack(i32.const(1))),
        found.set(bytes16.highBits(bytes16.and(at16(0, 0x22), bytes16.or(isTypeLike, isStopLike)))),
        block(
          loop(
            branchIf(i32.isZero(found.get), 1),
            noIfHere(at.answerType, texts.answerType),
            noIfHere(at.stopFront, texts.stopFront),
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
