/** The fields that usage reports need, by their keys. */
import { byteAt, quote } from "./json.ts";
import * as layout from "./layout.ts";

/** Objects whose fields are looked at. */
export const inLine = 1;
export const inMessage = 2;
export const inContentBlock = 3;
export const inUsage = 4;
export const inCacheCreation = 5;
export const inServerToolUse = 6;
export const inOutputDetails = 7;
export const inIteration = 8;
export const inForkedFrom = 9;
export const inData = 10;
export const inCopy = 11;

/** Fields in addition to those of layout.ts. */
export const noField = 0;
export const fieldType = 25;
export const fieldSidechain = 26;
export const fieldMessage = 27;
export const fieldForkedFrom = 28;
export const fieldCost = 29;
export const fieldApiError = 30;
export const fieldContent = 31;
export const fieldStop = 32;
export const fieldUsage = 33;
export const fieldCacheCreation = 34;
export const fieldServerToolUse = 35;
export const fieldOutputDetails = 36;
export const fieldIterations = 37;
export const fieldTier = 38;
export const fieldGeo = 39;
export const fieldSpeed = 40;
export const fieldIterationType = 41;
export const fieldBlockType = 42;
export const fieldBlockToolUse = 43;
export const fieldMeta = 44;
export const fieldSummary = 45;
export const fieldData = 46;
export const fieldCopy = 47;
export const fieldCopyType = 48;

/** True when the bytes at `p` are this text, which is ASCII. */
export function isText(p: usize, length: usize, text: string): bool {
  let letters = changetype<usize>(text);
  for (let done: usize = 0; done < length; done += 16) {
    // A text constant has two bytes per letter: sixteen letters are narrowed to the bytes that they are in a file.
    const wanted = i8x16.narrow_i16x8_u(v128.load(letters), v128.load(letters, 16));
    const same = i8x16.bitmask(i8x16.eq(wanted, v128.load(p + done)));
    const compared = length - done;
    const mask = compared >= 16 ? 0xffff : (1 << (<i32>compared)) - 1;
    if ((same & mask) !== mask) return false;
    letters += 32;
  }
  return true;
}

/** True when the value at `p` is this text. */
export function isString(p: usize, length: usize, text: string): bool {
  return byteAt(p) === quote && byteAt(p + 1 + length) === quote && isText(p + 1, length, text);
}

/** The field with this key; keys are compared by their length first. */
export function fieldOf(object: i32, key: usize, length: usize): i32 {
  switch (object) {
    case inLine:
      return fieldOfLine(key, length);
    case inMessage:
      return fieldOfMessage(key, length);
    case inUsage:
      return fieldOfUsage(key, length);
    case inContentBlock:
      if (length === 4 && isText(key, 4, "type")) return fieldBlockType;
      return length === 11 && isText(key, 11, "tool_use_id") ? fieldBlockToolUse : noField;
    case inCacheCreation:
      if (length !== 25) return noField;
      if (isText(key, 25, "ephemeral_5m_input_tokens")) return layout.fieldWritten5m;
      return isText(key, 25, "ephemeral_1h_input_tokens") ? layout.fieldWritten1h : noField;
    case inServerToolUse:
      return length === 19 && isText(key, 19, "web_search_requests") ? layout.fieldSearches : noField;
    case inOutputDetails:
      return length === 15 && isText(key, 15, "thinking_tokens") ? layout.fieldThinking : noField;
    case inIteration:
      return length === 4 && isText(key, 4, "type") ? fieldIterationType : noField;
    case inData:
      if (length !== 7) return noField;
      if (isText(key, 7, "message")) return fieldCopy;
      return isText(key, 7, "agentId") ? layout.fieldDataAgent : noField;
    case inCopy:
      return fieldOfCopy(key, length);
    case inForkedFrom:
      return length === 9 && isText(key, 9, "sessionId") ? layout.fieldForkSource : noField;
    default:
      return noField;
  }
}

function fieldOfLine(key: usize, length: usize): i32 {
  switch (<i32>length) {
    case 3:
      return isText(key, 3, "cwd") ? layout.fieldCwd : noField;
    case 4:
      if (isText(key, 4, "data")) return fieldData;
      return isText(key, 4, "type") ? fieldType : noField;
    case 6:
      return isText(key, 6, "isMeta") ? fieldMeta : noField;
    case 7:
      if (isText(key, 7, "message")) return fieldMessage;
      if (isText(key, 7, "costUSD")) return fieldCost;
      return isText(key, 7, "agentId") ? layout.fieldAgent : noField;
    case 9:
      if (isText(key, 9, "sessionId")) return layout.fieldSession;
      if (isText(key, 9, "timestamp")) return layout.fieldTime;
      return isText(key, 9, "requestId") ? layout.fieldRequest : noField;
    case 10:
      if (isText(key, 10, "session_id")) return layout.fieldParentSession;
      return isText(key, 10, "forkedFrom") ? fieldForkedFrom : noField;
    case 11:
      return isText(key, 11, "isSidechain") ? fieldSidechain : noField;
    case 16:
      if (isText(key, 16, "isCompactSummary")) return fieldSummary;
      return isText(key, 16, "attributionAgent") ? layout.fieldAgentType : noField;
    case 17:
      return isText(key, 17, "isApiErrorMessage") ? fieldApiError : noField;
    default:
      return noField;
  }
}

/** A copied answer has the fields of a line, but says nothing about the session. */
function fieldOfCopy(key: usize, length: usize): i32 {
  const found = fieldOfLine(key, length);
  switch (found) {
    case fieldType:
      return fieldCopyType;
    case layout.fieldTime:
      return layout.fieldCopyTime;
    case layout.fieldAgent:
      return layout.fieldCopyAgent;
    case fieldMessage:
    case fieldCost:
    case fieldApiError:
    case layout.fieldRequest:
      return found;
    default:
      return noField;
  }
}

function fieldOfMessage(key: usize, length: usize): i32 {
  switch (<i32>length) {
    case 2:
      return isText(key, 2, "id") ? layout.fieldId : noField;
    case 5:
      if (isText(key, 5, "model")) return layout.fieldModel;
      return isText(key, 5, "usage") ? fieldUsage : noField;
    case 7:
      return isText(key, 7, "content") ? fieldContent : noField;
    case 11:
      return isText(key, 11, "stop_reason") ? fieldStop : noField;
    default:
      return noField;
  }
}

function fieldOfUsage(key: usize, length: usize): i32 {
  switch (<i32>length) {
    case 5:
      return isText(key, 5, "speed") ? fieldSpeed : noField;
    case 10:
      return isText(key, 10, "iterations") ? fieldIterations : noField;
    case 12:
      if (isText(key, 12, "input_tokens")) return layout.fieldInput;
      return isText(key, 12, "service_tier") ? fieldTier : noField;
    case 13:
      if (isText(key, 13, "output_tokens")) return layout.fieldOutput;
      return isText(key, 13, "inference_geo") ? fieldGeo : noField;
    case 14:
      return isText(key, 14, "cache_creation") ? fieldCacheCreation : noField;
    case 15:
      return isText(key, 15, "server_tool_use") ? fieldServerToolUse : noField;
    case 21:
      return isText(key, 21, "output_tokens_details") ? fieldOutputDetails : noField;
    case 23:
      return isText(key, 23, "cache_read_input_tokens") ? layout.fieldCacheRead : noField;
    case 27:
      return isText(key, 27, "cache_creation_input_tokens") ? layout.fieldWritten : noField;
    default:
      return noField;
  }
}
