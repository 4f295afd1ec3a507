/**
 * The inner loop of the scanner: from a chunk of a transcript to the few lines that matter. Every byte of a line is walked over
 * once, so a damaged line is always found, and the order of keys makes no difference. It exports `run` and its memory, see layout.ts.
 */
import { byteAt, objectStart, skipBlanks } from "./json.ts";
import * as layout from "./layout.ts";
import { hasToolResult, hasType, isOdd, isPlainPrompt, isType, isWholeAnswer, readLine } from "./line.ts";

const newline: u8 = 0x0a;
const carriageReturn: u8 = 0x0d;

/** Reads lines from `wordNext` on, until one is worth a look or none with a newline before `filled` is left; the event that ended it. */
export function run(filled: usize): i32 {
  while (true) {
    const start = word(layout.wordNext);
    let end = endOfLine(start);
    if (end >= filled) return layout.eventDone;
    setWord(layout.wordNext, end + 1);
    setWord(layout.wordLines, word(layout.wordLines) + 1);
    if (end > start && byteAt(end - 1) === carriageReturn) end--;
    const first = skipBlanks(start);
    if (first >= end) continue;
    setWord(layout.wordLineFrom, start);
    setWord(layout.wordLineTo, end);
    const event = eventOf(first, end);
    if (event !== layout.eventDone) return event;
  }
}

/** `eventDone` for a line that nobody needs to see. */
function eventOf(first: usize, end: usize): i32 {
  if (word(layout.wordParseAll) !== 0 || byteAt(first) !== objectStart) return layout.eventParse;
  const behind = readLine(first);
  if (behind === 0 || skipBlanks(behind) < end || isOdd || !hasType()) return layout.eventParse;
  if (isType(9, "assistant")) return isWholeAnswer() ? layout.eventAnswer : layout.eventParse;
  if (isType(4, "user")) {
    if (word(layout.wordIsMain) === 0 || hasToolResult) return layout.eventDone;
    return isPlainPrompt ? layout.eventPrompt : layout.eventParse;
  }
  if (isType(8, "progress")) return layout.eventProgress;
  return isAboutSession() ? layout.eventParse : layout.eventDone;
}

function isAboutSession(): bool {
  return isType(12, "custom-title") || isType(8, "ai-title") || isType(7, "summary") || isType(10, "cost-state");
}

function endOfLine(p: usize): usize {
  while (true) {
    const found = i8x16.bitmask(i8x16.eq(v128.load(p), i8x16.splat(newline)));
    if (found !== 0) return p + ctz(found);
    p += 16;
  }
}

function word(place: i32): usize {
  return <usize>load<u32>(place << 2);
}

function setWord(place: i32, value: usize): void {
  store<u32>(place << 2, <u32>value);
}
