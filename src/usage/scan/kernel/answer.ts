/** Puts an answer that was read from a line into the table of calls. */
import { isText } from "./fields.ts";
import { byteAt, isDigit, zero } from "./json.ts";
import * as layout from "./layout.ts";
import { isMet } from "./line.ts";
import * as figure from "./row-figures.ts";
import * as rowWord from "./row-words.ts";
import { findRow, insertRow, replaceRow, setCandidateFigure, setCandidateWord, setWord, word } from "./table.ts";

const rankMain = 0;
const rankSidechain = 1;
const rankCopy = 2;

/** An answer with all that a call needs: both counts, an id of any kind, and a model that exists. */
export function isWholeAnswer(): bool {
  if (!isMet(layout.fieldInput) || !isMet(layout.fieldOutput)) return false;
  if (lengthOf(layout.fieldId) === 0 && lengthOf(layout.fieldRequest) === 0) return false;
  return lengthOf(layout.fieldModel) !== 11 || !isText(from(layout.fieldModel), 11, "<synthetic>");
}

/** The event for this answer: `eventDone` when the caller has nothing to do. */
export function addAnswer(line: usize, isCopy: bool): i32 {
  const marks = <u32>word(layout.wordMarks);
  const ownRank = (marks & layout.markSidechain) === 0 ? rankMain : rankSidechain;
  const rank = isCopy ? rankCopy : ownRank;
  const isMainLine = word(layout.wordIsMain) !== 0 && rank === rankMain;
  const event = isMainLine && word(layout.wordIsPending) !== 0 ? layout.eventAnswer : layout.eventDone;
  setIdentity(rank);
  setCandidateWord(rowWord.marks, marks & ~layout.markSidechain);
  setCandidateWord(rowWord.odd, 0);
  setCounts();
  const row = findRow();
  if (row === layout.rowKept) return event;
  if (!setName(rowWord.model, layout.fieldModel, layout.modelNames)) return layout.eventName;
  if (row >= 0) replaceRow(row);
  else {
    if (!setOwner(isMainLine, isCopy)) return layout.eventName;
    const at = timeOf(isCopy && hasText(layout.fieldCopyTime) ? layout.fieldCopyTime : layout.fieldTime);
    if (Number.isNaN(at)) return layout.eventParse;
    setCandidateFigure(figure.at, at);
    setCandidateFigure(figure.offset, load<f64>(layout.fileOffset) + <f64>line);
    insertRow();
  }
  return hasNewFacts() ? layout.eventAnswer : event;
}

function setIdentity(rank: u32): void {
  setCandidateWord(rowWord.file, <u32>word(layout.wordFile));
  setHash(rowWord.requestA, layout.fieldRequest);
  setHash(rowWord.keyA, lengthOf(layout.fieldId) === 0 ? layout.fieldRequest : layout.fieldId);
  setCandidateWord(rowWord.rank, rank);
}

function setCounts(): void {
  const input = count(layout.fieldInput);
  const cacheRead = count(layout.fieldCacheRead);
  const written5m = count(layout.fieldWritten5m);
  const written1h = count(layout.fieldWritten1h);
  const assumed5m = max<f64>(0, count(layout.fieldWritten) - written5m - written1h);
  setCandidateFigure(figure.input, input);
  setCandidateFigure(figure.cacheRead, cacheRead);
  setCandidateFigure(figure.cacheWrite5m, written5m + assumed5m);
  setCandidateFigure(figure.cacheWrite1h, written1h);
  setCandidateFigure(figure.assumed5m, assumed5m);
  setCandidateFigure(figure.prompt, input + cacheRead + (written5m + assumed5m) + written1h);
  setCandidateFigure(figure.output, count(layout.fieldOutput));
  setCandidateFigure(figure.thinking, count(layout.fieldThinking));
  setCandidateFigure(figure.webSearches, count(layout.fieldSearches));
  setCandidateFigure(figure.written, NaN);
}

/** Whose call it is: an agent's by its file, or by the agent that a line of an older main transcript names. */
function setOwner(isMainLine: bool, isCopy: bool): bool {
  setCandidateWord(rowWord.agent, isMainLine ? 0 : <u32>word(layout.wordAgent));
  if (isMainLine) return true;
  let field = layout.fieldAgent;
  if (isCopy && hasText(layout.fieldDataAgent)) field = layout.fieldDataAgent;
  else if (isCopy && !hasText(layout.fieldAgent)) field = layout.fieldCopyAgent;
  return lengthOf(field) === 0 || setName(rowWord.agent, field, layout.agentNames);
}

/** Sets the number of a name; false when the caller has to provide it first, in the word `wordNameSlot`. */
function setName(place: i32, field: i32, names: usize): bool {
  const hash = hashOf(from(field), lengthOf(field));
  const slot = names + ((<usize>(hash >> 33) % <usize>layout.namesKept) << 4);
  if (load<u64>(slot) !== hash) {
    store<u64>(slot, hash);
    setWord(layout.wordNameSlot, (slot >> 2) + 2);
    setWord(layout.wordNameField, field);
    return false;
  }
  setCandidateWord(place, load<u32>(slot, 8));
  return true;
}

/** Whether the line tells something about its session that the caller does not know yet. */
function hasNewFacts(): bool {
  if (((word(layout.wordMissingFacts) >> layout.fieldCwd) & 1) !== 0 && hasText(layout.fieldCwd)) return true;
  if (((word(layout.wordMissingFacts) >> layout.fieldSession) & 1) !== 0 && hasText(layout.fieldSession)) return true;
  if (((word(layout.wordMissingFacts) >> layout.fieldAgentType) & 1) !== 0 && hasText(layout.fieldAgentType))
    return true;
  if (!hasText(layout.fieldParentSession) && !hasText(layout.fieldForkSource)) return false;
  const parents =
    hashOf(from(layout.fieldParentSession), lengthOf(layout.fieldParentSession)) * 31 +
    hashOf(from(layout.fieldForkSource), lengthOf(layout.fieldForkSource));
  if (load<u64>(layout.knownParents) === parents) return false;
  store<u64>(layout.knownParents, parents);
  return true;
}

function hasText(field: i32): bool {
  return from(field) !== 0;
}

function from(field: i32): usize {
  return load<u32>(field << 3);
}

function lengthOf(field: i32): usize {
  return load<u32>(field << 3, 4) - load<u32>(field << 3);
}

function count(field: i32): f64 {
  return load<f64>(field << 3);
}

function setHash(place: i32, field: i32): void {
  const length = lengthOf(field);
  const hash = length === 0 ? 0 : hashOf(from(field), length);
  setCandidateWord(place, <u32>hash);
  setCandidateWord(place + 1, <u32>(hash >> 32));
}

/** The hash of an id, as `hashText` of usage-record.ts computes it: its first word in the lower half. */
function hashOf(from: usize, length: usize): u64 {
  let a: u32 = 0x811c9dc5 ^ <u32>length;
  let b: u32 = 0x9747b28c;
  for (let p = from; p < from + length; p++) {
    const byte = <u32>byteAt(p);
    a = (a ^ byte) * 0x01000193;
    b = b * 0x5bd1e995 + byte;
  }
  a ^= a >>> 15;
  a *= 0x2c1b3c6d;
  a ^= a >>> 12;
  b ^= b >>> 16;
  b = (b ^ a) * 0x297a2d39;
  b ^= b >>> 15;
  return ((<u64>(b | 1)) << 32) | <u64>a;
}

/** Milliseconds of a time such as 2026-10-05T09:00:00.000Z; NaN for any other form. */
function timeOf(field: i32): f64 {
  const p = from(field);
  if (lengthOf(field) !== 24 || !hasTimeMarks(p)) return NaN;
  const year = digits(p, 4);
  const month = digits(p + 5, 2);
  const day = digits(p + 8, 2);
  const hour = digits(p + 11, 2);
  const minute = digits(p + 14, 2);
  const second = digits(p + 17, 2);
  const millisecond = digits(p + 20, 3);
  const isValid =
    year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= (month === 2 ? 28 : 31) && hour >= 0 && hour < 24;
  if (!isValid || minute < 0 || minute > 59 || second < 0 || second > 59 || millisecond < 0) return NaN;
  // Days 29 to 31 exist in some months only.
  if (day === 31 && (month === 4 || month === 6 || month === 9 || month === 11)) return NaN;
  const seconds = ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
  return <f64>(seconds * 1000 + millisecond);
}

function hasTimeMarks(p: usize): bool {
  return (
    byteAt(p + 4) === 0x2d &&
    byteAt(p + 7) === 0x2d &&
    byteAt(p + 10) === 0x54 &&
    byteAt(p + 13) === 0x3a &&
    byteAt(p + 16) === 0x3a &&
    byteAt(p + 19) === 0x2e &&
    byteAt(p + 23) === 0x5a
  );
}

/** A number of exactly this many digits; -1 for anything else. */
function digits(p: usize, length: i32): i64 {
  let value: i64 = 0;
  for (let place = 0; place < length; place++) {
    if (!isDigit(p + place)) return -1;
    value = value * 10 + <i64>(byteAt(p + place) - zero);
  }
  return value;
}

/** Days of the Gregorian calendar. Years begin in March here, so that the leap day is the last one. */
function daysSince1970(year: i64, month: i64, day: i64): i64 {
  const years = month > 2 ? year : year - 1;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  return years * 365 + floorDivide(years, 4) - floorDivide(years, 100) + floorDivide(years, 400) + dayOfYear - 719468;
}

function floorDivide(value: i64, by: i64): i64 {
  return (value >= 0 ? value : value - by + 1) / by;
}
