import { isObject } from "../../../protocol/index.ts";
import type { AssistantEntry, Entry } from "../../model/entry.ts";
import { toEntry } from "./to-entry.ts";

/** The answer of a subagent that older versions copied into a `progress` line of its parent. */
export function answerIn(entry: Entry): AssistantEntry | undefined {
  if (entry.kind !== "progress" || !isObject(entry.data)) return undefined;
  const object = entry.data["message"];
  if (!isObject(object) || object["type"] !== "assistant") return undefined;
  const { file, offset, length, line, raw } = entry;
  const copy = toEntry({
    kind: "record",
    file,
    offset,
    length,
    line,
    object: entry.timestamp === undefined ? object : { timestamp: entry.timestamp, ...object },
    lossy: false,
    recovered: false,
    unterminated: false,
    raw,
  });
  return copy.kind === "assistant" ? copy : undefined;
}
