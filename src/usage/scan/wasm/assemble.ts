/**
 * WebAssembly written down in TypeScript: every function here gives the bytes of one instruction with its operands before
 * it. Just what the one program of this folder needs.
 */
export type Code = readonly number[];

/** Value types. */
export const type = { i32: 0x7f, i64: 0x7e, f64: 0x7c, v128: 0x7b } as const;

export interface Local {
  readonly get: Code;
  set(value: Code): Code;
  /** Sets, and leaves the value. */
  tee(value: Code): Code;
}

export function local(index: number): Local {
  return {
    get: [0x20, index],
    set: (value) => [...value, 0x21, index],
    tee: (value) => [...value, 0x22, index],
  };
}

type TwoOperands = (a: Code, b: Code) => Code;

const two =
  (opcode: number): TwoOperands =>
  (a, b) => [...a, ...b, opcode];

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(value)],
  load: (at: Code, offset = 0): Code => [...at, 0x28, 0, ...unsigned(offset)],
  load8: (at: Code, offset = 0): Code => [...at, 0x2d, 0, ...unsigned(offset)],
  store: (at: Code, value: Code, offset = 0): Code => [...at, ...value, 0x36, 0, ...unsigned(offset)],
  isZero: (value: Code): Code => [...value, 0x45],
  eq: two(0x46) as TwoOperands,
  ne: two(0x47) as TwoOperands,
  less: two(0x49) as TwoOperands,
  greater: two(0x4b) as TwoOperands,
  atLeast: two(0x4f) as TwoOperands,
  trailingZeros: (value: Code): Code => [...value, 0x68],
  add: two(0x6a) as TwoOperands,
  sub: two(0x6b) as TwoOperands,
  mul: two(0x6c) as TwoOperands,
  and: two(0x71) as TwoOperands,
  or: two(0x72) as TwoOperands,
  xor: two(0x73) as TwoOperands,
  shiftLeft: two(0x74) as TwoOperands,
  shiftRight: two(0x76) as TwoOperands,
} as const;

export const i64 = {
  load: (at: Code, offset = 0): Code => [...at, 0x29, 0, ...unsigned(offset)],
  ne: two(0x52) as TwoOperands,
} as const;

export const f64 = {
  const: (value: number): Code => [0x44, ...new Uint8Array(Float64Array.of(value).buffer)],
  load: (at: Code, offset = 0): Code => [...at, 0x2b, 0, ...unsigned(offset)],
  store: (at: Code, value: Code, offset = 0): Code => [...at, ...value, 0x39, 0, ...unsigned(offset)],
  ne: two(0x62) as TwoOperands,
  add: two(0xa0) as TwoOperands,
  mul: two(0xa2) as TwoOperands,
  fromInt: (value: Code): Code => [...value, 0xb8],
} as const;

/** Sixteen bytes at a time. */
export const bytes16 = {
  load: (at: Code): Code => [...at, 0xfd, 0x00, 0, 0],
  all: (byte: number): Code => [...i32.const(byte), 0xfd, 0x0f],
  eq: (a: Code, b: Code): Code => [...a, ...b, 0xfd, 0x23],
  less: (a: Code, b: Code): Code => [...a, ...b, 0xfd, 0x26],
  and: (a: Code, b: Code): Code => [...a, ...b, 0xfd, 0x4e],
  or: (a: Code, b: Code): Code => [...a, ...b, 0xfd, 0x50],
  /** True when a byte of a comparison held. */
  anyTrue: (a: Code): Code => [...a, 0xfd, 0x53],
  /** True when every byte of a comparison held. */
  allTrue: (a: Code): Code => [...a, 0xfd, 0x63],
  /** One bit for the highest bit of each byte. */
  highBits: (a: Code): Code => [...a, 0xfd, 0x64],
} as const;

const noResult = 0x40;

/** `branch(depth)` inside a loop goes back to its beginning, seen from `depth` blocks further in. */
export const loop = (...body: readonly Code[]): Code => [0x03, noResult, ...body.flat(), 0x0b];
export const block = (...body: readonly Code[]): Code => [0x02, noResult, ...body.flat(), 0x0b];
export const when = (condition: Code, ...then: readonly Code[]): Code => [
  ...condition,
  0x04,
  noResult,
  ...then.flat(),
  0x0b,
];
/** Leaves `depth` blocks, or goes back to the beginning when the outermost of them is a loop. */
export const branch = (depth: number): Code => [0x0c, ...unsigned(depth)];
export const branchIf = (condition: Code, depth: number): Code => [...condition, 0x0d, ...unsigned(depth)];
export const giveBack = (value: Code): Code => [...value, 0x0f];
export const call = (name: number, ...operands: readonly Code[]): Code => [...operands.flat(), 0x10, ...unsigned(name)];
export const unreachable: Code = [0x00];

export interface Func {
  /** How many of the locals are parameters; those are 32-bit numbers, as is the result. */
  readonly parameters: number;
  /** Types of the other locals. */
  readonly locals: readonly number[];
  readonly body: readonly Code[];
}

/** A module of these functions with an imported memory (`env.memory`); `exported` names one of them for the outside. */
export function assemble(
  functions: readonly Func[],
  exported: Readonly<Record<string, number>>,
): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [0x60, ...list(Array(parameters).fill([type.i32])), 1, type.i32]);
  const bodies = functions.map(({ locals, body }) => {
    const code = [...list(locals.map((one) => [1, one])), ...body.flat(), 0x0b];
    return [...unsigned(code.length), ...code];
  });
  const exports = Object.entries(exported).map(([name, index]) => [...text(name), 0x00, ...unsigned(index)]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, list(types)),
    ...section(2, list([[...text("env"), ...text("memory"), 0x02, 0x00, 0x01]])),
    ...section(3, list(functions.map((_, index) => unsigned(index)))),
    ...section(7, list(exports)),
    ...section(10, list(bodies)),
  ]);
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function text(name: string): Code {
  return list(Array.from(Buffer.from(name), (byte) => [byte]));
}

/** LEB128, as the binary format spells numbers. */
function unsigned(value: number): Code {
  const rest = value >>> 7;
  return rest === 0 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...unsigned(rest)];
}

function signed(value: number): Code {
  const low = value & 0x7f;
  const rest = value >> 7;
  const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
