import { type Code, i32 } from "./assemble.ts";

/** Short words for what nearly every function of the program says. */

/** The position that is none. */
export const no: Code = i32.const(-1);

export function is(value: Code, byte: number): Code {
  return i32.eq(value, i32.const(byte));
}

export function isDigit(byte: Code): Code {
  return i32.less(i32.sub(byte, i32.const(0x30)), i32.const(10));
}

export function next(position: Code, count = 1): Code {
  return i32.add(position, i32.const(count));
}

/** A word at an address that is known when the program is assembled. */
export function wordAt(address: number): Code {
  return i32.load(i32.const(address));
}

export function setWord(address: number, value: Code): Code {
  return i32.store(i32.const(address), value);
}
