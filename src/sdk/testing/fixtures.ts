import { type EventName, eventNames, type Payload } from "../../protocol/index.ts";
import { recorded, synthetic } from "./recorded.ts";

/** A payload of an event, as a host sends it, with the fields you change. */
export type Fixture<Name extends EventName> = (changes?: Partial<Payload<Name>>) => Payload<Name>;

/** A payload per event of the catalog: recorded, or made up for events that only newer clients have. */
export const fixtures: { readonly [Name in EventName]: Fixture<Name> } = Object.fromEntries(
  eventNames.map((name) => [name, (changes: object = {}) => ({ ...payloadOf(name), ...changes })]),
) as unknown as { readonly [Name in EventName]: Fixture<Name> };

/** True for an event whose payload nobody has recorded yet. */
export function isSynthetic(name: EventName): boolean {
  return Object.hasOwn(synthetic, name);
}

function payloadOf(name: EventName): object {
  return JSON.parse(recorded[name] ?? synthetic[name] ?? "{}") as object;
}
