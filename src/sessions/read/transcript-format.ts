import { Problem } from "../../protocol/index.ts";
import { isRecord, toEntry } from "../formats/claude-code/to-entry.ts";
import type { Entry } from "../model/entry.ts";
import type { JsonRecord } from "./json-records.ts";

/** Things that are done with transcripts of some agents and not of others. */
export type Ability = "validate" | "repair" | "fork" | "append" | "migrate" | "archive";

/**
 * How one agent spells its transcripts. Everything that knows a spelling is in that agent's folder; whatever works on entries
 * works for every format.
 */
export interface Format {
  readonly name: string;
  /** Tells a whole record from an object nested inside one. */
  readonly isRecord: (object: Readonly<Record<string, unknown>>) => boolean;
  /** Contract: never throws and drops nothing. */
  readonly toEntry: (record: JsonRecord) => Entry;
  readonly abilities: ReadonlySet<Ability>;
}

export const claudeCode: Format = {
  name: "claude-code",
  isRecord,
  toEntry,
  abilities: new Set<Ability>(["validate", "repair", "fork", "append", "migrate", "archive"]),
};

/** Throws `sessions/unsupported` when a format does not have it. */
export function needAbility(format: Format, ability: Ability): void {
  if (format.abilities.has(ability)) return;
  const can = [...format.abilities].join(", ") || "nothing but reading";
  throw new Problem(
    "sessions/unsupported",
    `transcripts of ${format.name} do not support ${ability}; they support ${can}.`,
    {
      about: { format: format.name, ability },
    },
  );
}
