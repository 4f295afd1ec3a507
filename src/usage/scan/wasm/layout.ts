/** What the program and those who call it have to agree on. */

/** Numbers of its functions, in the order in which they are assembled. */
export const fn = {
  isSame: 0,
  skipString: 1,
  plainEnd: 2,
  skipScalar: 3,
  skipValue: 4,
  hash: 5,
  fit: 6,
  findNewline: 7,
  endsWell: 8,
  isResult: 9,
  find: 10,
  run: 11,
} as const;

/**
 * Where things lie in memory. First what the last comparison found: five lists with an entry per kind of slot. Then single
 * words, the counts of the last answer, two lists of shapes, and texts to compare with.
 */
export const at = {
  from: 0,
  to: 128,
  counts: 256,
  hashA: 512,
  hashB: 640,
  /** 1 when the stop reason was a text. */
  stopped: 768,
  /** The last long value that was passed over in this line, and its end. */
  passedAt: 772,
  passedTo: 776,
  /** The line that was read last, and where the next one begins. */
  lineFrom: 780,
  lineTo: 784,
  next: 788,
  /** Where the shape of that line ended in it. */
  stoppedAt: 792,
  /** How many lines were read. */
  lines: 796,
  /** The shape of the line before; 0 when it had none. */
  previous: 800,
  shapeCount: 804,
  progressCount: 808,
  /** 1 while a main transcript is read. */
  isMain: 812,
  /** 1 while every line is to be shown, whatever it is. */
  showAll: 816,
  /** The last answer that was shown: its shape (0 for none), id, request and stop. */
  lastShape: 820,
  lastHashA: 824,
  lastHashB: 828,
  lastRequest: 832,
  lastStopped: 836,
  lastCounts: 1024,
  shapes: 1280,
  progressShapes: 1792,
  answerType: 2304,
  stopFront: 2336,
  resultFront: 2368,
  otherResultFront: 2432,
  end: 4096,
} as const;

/** Most shapes that a list holds. */
export const mostShapes = 128;

/** A shape begins with these words; then three per slot: where the shared bytes before it lie, how many, and its kind. */
export const shapeAt = { kind: 0, has: 4, next: 8, rank: 12, slots: 16 } as const;

/** Kinds of lines: answers are compared whole, all others up to their type. `telling` ones say something about the session. */
export const lineKind = { answer: 1, user: 2, progress: 3, other: 4, telling: 5 } as const;

/** Why the program stops and lets its caller have a look. */
export const event = {
  /** No whole line is left. */
  done: 0,
  /** An answer that is not the last one again. */
  answer: 1,
  /** A user line that is no tool result. */
  user: 2,
  progress: 3,
  /** A line of a known shape that must be parsed all the same. */
  parse: 4,
  /** A line of no known shape. */
  unknown: 5,
} as const;

export const texts = {
  answerType: '"type":"assistant"',
  stopFront: '"stop_reason":',
  resultFront: ',"message":{"role":"user","content":[{"tool_use_id":',
  otherResultFront: ',"message":{"role":"user","content":[{"type":"tool_result"',
} as const;
