/**
 * Walks over one line of a transcript and notes what usage reports need of it. Keys may come in any order. What a JSON parser would
 * read in another way than the walk does makes the line odd, and its caller parses it: a key twice, an escape in a key or an id, a
 * count that is not a number, several iterations, a cost that Claude Code wrote.
 */
import * as field from "./fields.ts";
import * as json from "./json.ts";
import * as layout from "./layout.ts";

/** What is known of the line so far. */
export let isOdd: bool = false;
export let hasToolResult: bool = false;
/** Its content is a text that begins with a letter. */
export let isPlainPrompt: bool = false;
/** It contains a copy of a line with an answer, as progress lines of older versions of Claude Code do. */
export let hasCopy: bool = false;
let hasCopiedMessage: bool = false;
let typeFrom: usize = 0;
let typeLength: usize = 0;
/** One bit per field that was met. */
let fieldsMet: u64 = 0;
let isMessageIteration: bool = false;
let isResultBlock: bool = false;
let hasToolUseId: bool = false;

/** The position behind the object at `p`; 0 when it is not JSON, or nested too deeply. */
export function readLine(p: usize): usize {
  isOdd = hasToolResult = isPlainPrompt = hasCopy = hasCopiedMessage = false;
  typeFrom = typeLength = 0;
  fieldsMet = 0;
  memory.fill(layout.wordMarks << 2, 0, layout.resultsEnd - (layout.wordMarks << 2));
  return readObject(p, field.inLine);
}

export function isType(length: usize, text: string): bool {
  return typeLength === length && field.isText(typeFrom, length, text);
}

export function hasType(): bool {
  return typeLength > 0;
}

/** Whether its usage object is that of a copy. */
export function hasCopiedUsage(): bool {
  return hasCopiedMessage && isMet(field.fieldUsage);
}

export function isMet(one: i32): bool {
  return ((fieldsMet >> one) & 1) !== 0;
}

function readObject(p: usize, object: i32): usize {
  p = json.skipBlanks(p + 1);
  if (json.byteAt(p) === json.objectEnd) return p + 1;
  while (true) {
    if (json.byteAt(p) !== json.quote) return 0;
    const key = p + 1;
    let found = field.noField;
    const keyEnd = json.endOfPlain(key);
    if (keyEnd === 0) {
      isOdd = true;
      p = json.skipString(key);
      if (p === 0) return 0;
    } else {
      found = field.fieldOf(object, key, keyEnd - key);
      p = keyEnd + 1;
    }
    p = json.skipBlanks(p);
    if (json.byteAt(p) !== json.colon) return 0;
    p = json.skipBlanks(p + 1);
    p = found === field.noField ? json.skipValue(p) : readField(found, p);
    if (p === 0) return 0;
    p = json.skipBlanks(p);
    if (json.byteAt(p) === json.objectEnd) return p + 1;
    if (json.byteAt(p) !== json.comma) return 0;
    p = json.skipBlanks(p + 1);
  }
}

function readField(one: i32, p: usize): usize {
  if (isMet(one)) isOdd = true;
  fieldsMet |= (<u64>1) << one;
  if (one <= layout.fieldForkSource) return readText(one, p);
  if (one <= layout.fieldThinking) return readCount(one, p);
  switch (one) {
    case field.fieldType:
      return readType(p);
    case field.fieldSidechain:
      if (json.isTrue(p)) mark(layout.markSidechain);
      return json.skipValue(p);
    case field.fieldMessage:
      return readInner(p, field.inMessage);
    case field.fieldData:
      return json.byteAt(p) === json.objectStart ? readObject(p, field.inData) : json.skipValue(p);
    case field.fieldCopy:
      return readCopy(p);
    case field.fieldCopyType:
      if (!field.isString(p, 9, "assistant")) isOdd = true;
      return json.skipValue(p);
    case field.fieldForkedFrom:
      if (json.byteAt(p) === json.objectStart) return readObject(p, field.inForkedFrom);
      return readText(layout.fieldForkSource, p);
    case field.fieldCost:
      isOdd = true;
      return json.skipValue(p);
    case field.fieldApiError:
    case field.fieldMeta:
    case field.fieldSummary:
      if (json.isTrue(p)) isOdd = true;
      return json.skipValue(p);
    case field.fieldContent:
      if (json.byteAt(p) === json.listStart) return readContent(p);
      isPlainPrompt = json.byteAt(p) === json.quote && json.isLetter(p + 1);
      return json.skipValue(p);
    case field.fieldStop:
      if (json.byteAt(p) === json.quote) mark(layout.markStopped);
      return json.skipValue(p);
    case field.fieldUsage:
      return readInner(p, field.inUsage);
    case field.fieldCacheCreation:
      return readInner(p, field.inCacheCreation);
    case field.fieldServerToolUse:
      return readInner(p, field.inServerToolUse);
    case field.fieldOutputDetails:
      return readInner(p, field.inOutputDetails);
    case field.fieldIterations:
      return readIterations(p);
    case field.fieldTier:
      return readMark(p, 5, "batch", layout.markBatch);
    case field.fieldGeo:
      return readMark(p, 2, "us", layout.markUs);
    case field.fieldSpeed:
      return readMark(p, 4, "fast", layout.markFast);
    case field.fieldIterationType:
      isMessageIteration = field.isString(p, 7, "message");
      return json.skipValue(p);
    case field.fieldBlockType:
      isResultBlock = field.isString(p, 11, "tool_result");
      return json.skipValue(p);
    case field.fieldBlockToolUse:
      hasToolUseId = json.byteAt(p) === json.quote;
      return json.skipValue(p);
    default:
      return json.skipValue(p);
  }
}

function readCopy(p: usize): usize {
  if (json.byteAt(p) !== json.objectStart) return json.skipValue(p);
  const hadMessage = isMet(field.fieldMessage);
  const behind = readObject(p, field.inCopy);
  hasCopy = true;
  hasCopiedMessage = !hadMessage && isMet(field.fieldMessage);
  return behind;
}

function mark(bit: i32): void {
  store<i32>(layout.wordMarks << 2, load<i32>(layout.wordMarks << 2) | bit);
}

/** What is not a text counts as none, as it does where lines are parsed. */
function readText(one: i32, p: usize): usize {
  if (json.byteAt(p) !== json.quote) return json.skipValue(p);
  const behind = json.skipString(p + 1);
  if (behind === 0) return 0;
  if (one < layout.fieldCwd && json.endOfPlain(p + 1) === 0) isOdd = true;
  store<u32>(one << 3, p + 1);
  store<u32>(one << 3, behind - 1, 4);
  return behind;
}

/** A whole number that is exact, or null where a count may be missing. */
function readCount(one: i32, p: usize): usize {
  const from = p;
  let count: f64 = 0;
  while (json.isDigit(p)) count = count * 10 + <f64>(json.byteAt(p++) - json.zero);
  const digits = p - from;
  const mayMiss = one !== layout.fieldInput && one !== layout.fieldOutput;
  const behind = json.skipValue(from);
  if (digits === 0 ? !mayMiss || !json.isNull(from) : digits > 15 || behind !== p) isOdd = true;
  store<f64>(one << 3, count);
  return behind;
}

function readType(p: usize): usize {
  const behind = json.skipValue(p);
  if (json.byteAt(p) === json.quote && json.endOfPlain(p + 1) !== 0) {
    typeFrom = p + 1;
    typeLength = behind - 1 - typeFrom;
  } else isOdd = true;
  return behind;
}

/** An object that is looked into. Null is none; anything else in its place is odd. */
function readInner(p: usize, object: i32): usize {
  if (json.byteAt(p) === json.objectStart) return readObject(p, object);
  if (!json.isNull(p)) isOdd = true;
  return json.skipValue(p);
}

function readMark(p: usize, length: usize, text: string, bit: i32): usize {
  if (json.byteAt(p) === json.quote && json.endOfPlain(p + 1) === 0) isOdd = true;
  if (field.isString(p, length, text)) mark(bit);
  return json.skipValue(p);
}

/** Of no iteration, or one that is the message itself, the counts of the call say it all. */
function readIterations(list: usize): usize {
  if (json.byteAt(list) !== json.listStart) {
    if (!json.isNull(list)) isOdd = true;
    return json.skipValue(list);
  }
  let p = json.skipBlanks(list + 1);
  if (json.byteAt(p) === json.listEnd) return p + 1;
  isMessageIteration = false;
  if (json.byteAt(p) === json.objectStart) {
    p = readObject(p, field.inIteration);
    if (p === 0) return 0;
    p = json.skipBlanks(p);
    if (isMessageIteration && json.byteAt(p) === json.listEnd) return p + 1;
  }
  isOdd = true;
  return json.skipValue(list);
}

function readContent(p: usize): usize {
  p = json.skipBlanks(p + 1);
  if (json.byteAt(p) === json.listEnd) return p + 1;
  while (true) {
    p = json.byteAt(p) === json.objectStart ? readBlock(p) : json.skipValue(p);
    if (p === 0) return 0;
    p = json.skipBlanks(p);
    if (json.byteAt(p) === json.listEnd) return p + 1;
    if (json.byteAt(p) !== json.comma) return 0;
    p = json.skipBlanks(p + 1);
  }
}

function readBlock(p: usize): usize {
  isResultBlock = hasToolUseId = false;
  fieldsMet &= ~(((<u64>1) << field.fieldBlockType) | ((<u64>1) << field.fieldBlockToolUse));
  const behind = readObject(p, field.inContentBlock);
  if (isResultBlock && hasToolUseId) hasToolResult = true;
  return behind;
}
