import { isObject } from "../../../protocol/index.ts";
import type { CompactMetadata } from "../../model/entry.ts";
import { passes } from "./build-entry.ts";
import type { Check } from "./known-fields.ts";

/** The metadata of a compaction with every known field in its type; undefined when one is not, and readers must do without. */
export function compactMetadataOf(value: Readonly<Record<string, unknown>>): CompactMetadata | undefined {
  const { preservedSegment, preservedMessages } = value;
  const fits =
    all(value, {
      trigger: "text",
      preTokens: "number",
      postTokens: "number",
      durationMs: "number",
      cumulativeDroppedTokens: "number",
    }) &&
    (preservedSegment === undefined ||
      (isObject(preservedSegment) &&
        all(preservedSegment, { headUuid: "text", anchorUuid: "text", tailUuid: "text" }))) &&
    (preservedMessages === undefined ||
      (isObject(preservedMessages) &&
        all(preservedMessages, { anchorUuid: "text" }) &&
        textsOrNone(preservedMessages["uuids"])));
  return fits ? (value as CompactMetadata) : undefined;
}

function all(value: Readonly<Record<string, unknown>>, checks: Readonly<Record<string, Check>>): boolean {
  return Object.entries(checks).every(([key, check]) => value[key] === undefined || passes(value[key], check));
}

function textsOrNone(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((one) => typeof one === "string"));
}
