import { type CallbackHook, type EventRow, type Skip, showValue } from "../../protocol/internal.ts";
import { configureGroup, type GroupPlace, hookRef } from "./configure-hooks.ts";
import { asFailing, effectOfFailing } from "./failure-policy.ts";
import { shortened, withoutPassword } from "./hook-names.ts";
import type { ConfiguredHook, Layer, UnusableEntry, UnusableHook } from "./layer.ts";
import { nameOf } from "./read-layer.ts";

/** An entry that cannot be used, as it is listed and skipped. */
export function unusableHook(unusable: UnusableEntry, layer: Layer, label: string, row: EventRow): UnusableHook {
  const { number, at, entry, matcher, why, warning } = unusable;
  const { type = "unknown" } = entry;
  const ref = hookRef(layer, [label, row.name, number].filter((part) => part !== "").join(":"), row, matcher, entry, {
    type: typeof type === "string" ? type : showValue(type),
    name: unusableName(entry) ?? at,
  });
  const skip: Skip = { hook: ref, why: "unsupported", detail: `cannot be used: ${why}` };
  return { ref, layer, problems: [warning], skip };
}

/** The guard that an entry was meant to be. It runs for the calls that the entry matches, and fails. */
export function failedGuard(
  { at, entry, matcher, why, warning }: UnusableEntry,
  { ref }: UnusableHook,
  place: Omit<GroupPlace, "group">,
): readonly ConfiguredHook[] {
  // The hint of the warning would be the second sentence of the reason.
  const reason = why.replace(/\. Did you mean .*$/s, "");
  const fails = `${at} in ${nameOf(place.layer)} cannot be used: ${reason}`;
  const hook: CallbackHook = {
    type: "callback",
    callback: () => undefined,
    errorMessage: fails,
    onFailure: "block",
    ...(typeof entry["if"] === "string" ? { if: entry["if"] } : {}),
  };
  const group = { hooks: [hook], ...(typeof matcher === "string" ? { matcher } : {}) };
  const [guard] = configureGroup(group, { ...place, group: 0 });
  const others = guard?.problems.filter(({ code }) => code !== "hook-invalid") ?? [];
  const problems = [asFailing(warning, effectOfFailing(place.layer)), ...others];
  return guard === undefined ? [] : [{ ...guard, ref, fails, problems }];
}

/** How users recognize an entry that may lack anything. */
function unusableName({ command, url, prompt, tool }: UnusableEntry["entry"]): string | undefined {
  const address = typeof url === "string" ? withoutPassword(url) : undefined;
  const text = [command, address, prompt, tool].find((value) => typeof value === "string" && value !== "");
  return text === undefined ? undefined : shortened(String(text));
}
