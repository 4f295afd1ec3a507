import { isDeepStrictEqual } from "node:util";
import type { Edit, JsonPath } from "../../engine/internal.ts";
import { isObject } from "../../protocol/index.ts";
import { type OwnMarks, type OwnPlace, ownEntries } from "./own-entries.ts";
import type { PlannedEntry } from "./plan-entries.ts";

/** What stood in a file before we came: what else becomes empty goes with our entries. */
export interface Had {
  readonly hooks: boolean;
  readonly events: readonly string[];
}

export const hadNothing: Had = { hooks: false, events: [] };

export function hadIn(settings: unknown): Had {
  const hooks = (settings as { hooks?: unknown } | null)?.hooks;
  return { hooks: hooks !== undefined, events: isObject(hooks) ? Object.keys(hooks) : [] };
}

/** Edits that bring a settings file to a plan: own entries are replaced where they stand, missing ones added, surplus ones cut. */
export function installEdits(
  settings: unknown,
  planned: readonly PlannedEntry[],
  marks: OwnMarks,
  had: Had,
): readonly Edit[] {
  const own = ownEntries(settings, marks);
  const kept = new Map(planned.map(({ event }) => [event, own.find((one) => one.event === event && one.alone)]));
  const replaced = planned.flatMap(({ event, group }): Edit[] => {
    const at = kept.get(event);
    if (at === undefined) return [];
    return isDeepStrictEqual(at.value, group) ? [] : [{ do: "set", path: groupPath(at), value: group }];
  });
  const surplus = own.filter((one) => kept.get(one.event) !== one);
  const added = planned
    .filter(({ event }) => kept.get(event) === undefined)
    .map(({ event, group }): Edit => ({ do: "append", path: ["hooks", event], value: group }));
  // Added first, so that a list whose surplus goes is not emptied in between.
  return [...replaced, ...added, ...cuts(surplus, had)];
}

/** Edits that take everything of ours out. */
export function cutEdits(settings: unknown, marks: OwnMarks, had: Had): readonly Edit[] {
  return cuts(ownEntries(settings, marks), had);
}

/** From the last to the first, so that the numbers of those still to go stay true. */
function cuts(places: readonly OwnPlace[], had: Had): readonly Edit[] {
  return places.toReversed().flatMap((place): readonly Edit[] => {
    const path = groupPath(place);
    if (place.alone) return [{ do: "remove", path, made: { path: madePath(place, had) } }];
    return place.hooks.toReversed().map((hook): Edit => ({ do: "remove", path: [...path, "hooks", hook] }));
  });
}

function groupPath({ event, group }: OwnPlace): JsonPath {
  return ["hooks", event, group];
}

function madePath(place: OwnPlace, { hooks, events }: Had): JsonPath {
  if (!hooks) return ["hooks"];
  return events.includes(place.event) ? groupPath(place) : ["hooks", place.event];
}
