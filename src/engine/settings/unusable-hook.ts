import { sha256 } from "../../files/internal.ts";
import {
  type CallbackHook,
  defined,
  type EventRow,
  type HookRef,
  type Skip,
  showValue,
} from "../../protocol/internal.ts";
import { configureGroup, type GroupPlace, shortened, withoutPassword } from "./configure-hooks.ts";
import type { ConfiguredHook, Layer, UnusableEntry, UnusableHook } from "./layer.ts";
import { nameOf } from "./read-layer.ts";

/** An entry that cannot be used, as it is listed and skipped. */
export function unusableHook(
  unusable: UnusableEntry,
  layer: Layer,
  label: string,
  { name: event }: EventRow,
): UnusableHook {
  const { number, at, entry, matcher, why, warning } = unusable;
  const { type = "unknown" } = entry;
  const hash = sha256(JSON.stringify([event, matcher ?? "", entry])).slice(0, 8);
  const ref: HookRef = {
    id: [label, event, number, hash].filter((part) => part !== "").join(":"),
    event,
    type: typeof type === "string" ? type : showValue(type),
    source: layer.kind,
    ...defined({ file: layer.file, matcher: typeof matcher === "string" ? matcher : undefined }),
    name: unusableName(entry) ?? at,
  };
  const skip: Skip = { hook: ref, why: "unsupported", detail: `cannot be used: ${why}` };
  return { ref, layer, problems: [warning], skip };
}

/** The guard that an entry was meant to be. It runs for the calls that the entry matches, and fails. */
export function failedGuard(
  { at, entry, matcher, why }: UnusableEntry,
  { ref, problems }: UnusableHook,
  place: Omit<GroupPlace, "group">,
): readonly ConfiguredHook[] {
  // The hint of the warning would be the second sentence of the reason.
  const reason = why.replace(/\. Did you mean .*$/s, "");
  const hook: CallbackHook = {
    type: "callback",
    callback() {
      throw new Error(reason);
    },
    errorMessage: `${at} in ${nameOf(place.layer)} cannot be used: ${reason}`,
    onFailure: "block",
    ...(typeof entry["if"] === "string" ? { if: entry["if"] } : {}),
  };
  const group = { hooks: [hook], ...(typeof matcher === "string" ? { matcher } : {}) };
  return configureGroup(group, { ...place, group: 0 }).map((guard) => ({ ...guard, ref, problems }));
}

/** How users recognize an entry that may lack anything. */
function unusableName({ command, url, prompt, tool }: UnusableEntry["entry"]): string | undefined {
  const address = typeof url === "string" ? withoutPassword(url) : undefined;
  const text = [command, address, prompt, tool].find((value) => typeof value === "string" && value !== "");
  return text === undefined ? undefined : shortened(String(text));
}
