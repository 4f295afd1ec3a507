/**
 * The inner loop of the scanner: from a chunk of a transcript to the table of calls and the few lines that need more. Every byte of a line
 * is read once, so a damaged line is always found, and the order of keys makes no difference. See layout.ts.
 */
import { addAnswer, isWholeAnswer } from "./answer.ts";
import { byteAt, objectStart, skipBlanks } from "./json.ts";
import * as layout from "./layout.ts";
import { hasCopiedUsage, hasCopy, hasToolResult, hasType, isOdd, isPlainPrompt, isType, readLine } from "./line.ts";
import { findRow, insertRow, linkRows, replaceRow, reserveRows, setWord, word } from "./table.ts";

export { findRow, insertRow, linkRows, replaceRow, reserveRows };

const newline: u8 = 0x0a;
const carriageReturn: u8 = 0x0d;

/**
 * Reads lines from `wordNext` to `filled` until one needs the caller; returns the event. Contract: the byte before `filled` is a newline.
 */
export function run(filled: usize): i32 {
  while (word(layout.wordNext) < filled) {
    const start = word(layout.wordNext);
    const first = skipBlanks(start);
    let end = word(layout.wordParseAll) === 0 && byteAt(first) === objectStart ? readLine(first) : 0;
    if (end !== 0) end = skipBlanks(end);
    const isWhole = end !== 0 && byteAt(end) === newline;
    if (!isWhole) end = endOfLine(first);
    setWord(layout.wordNext, end + 1);
    setWord(layout.wordLines, word(layout.wordLines) + 1);
    if (first === end) continue;
    const event = isWhole && !isOdd && hasType() ? eventOf(start) : layout.eventParse;
    if (event === layout.eventDone) continue;
    setWord(layout.wordLineFrom, start);
    setWord(layout.wordLineTo, byteAt(end - 1) === carriageReturn ? end - 1 : end);
    if (event === layout.eventName) {
      setWord(layout.wordNext, start);
      setWord(layout.wordLines, word(layout.wordLines) - 1);
    }
    return event;
  }
  return layout.eventDone;
}

/** `eventDone` for a line that needs nothing from the caller. */
function eventOf(start: usize): i32 {
  if (isType(9, "assistant")) return isWholeAnswer() && !hasCopy ? addAnswer(start, false) : layout.eventParse;
  if (isType(4, "user")) {
    if (word(layout.wordIsMain) === 0 || hasToolResult) return layout.eventDone;
    return isPlainPrompt ? layout.eventPrompt : layout.eventParse;
  }
  if (isType(8, "progress")) {
    if (!hasCopiedUsage()) return layout.eventDone;
    return isWholeAnswer() ? addAnswer(start, true) : layout.eventParse;
  }
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
