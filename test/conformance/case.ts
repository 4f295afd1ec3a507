import { readdirSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { EngineOptions } from "../../src/engine/index.ts";

type Json = Readonly<Record<string, unknown>>;

/** One file of conformance/: see its README. */
export interface Case {
  readonly claim: string;
  readonly given: Given;
  readonly events: readonly { readonly event: string; readonly payload: Json }[];
  readonly outcomes: readonly Json[];
  readonly absent: readonly string[];
}

export interface Given {
  readonly settings?: Json;
  readonly project?: Json;
  readonly local?: Json;
  readonly extra?: readonly Json[];
  readonly files?: Readonly<Record<string, string>>;
  readonly http?: Readonly<Record<string, HttpAnswer>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: Omit<EngineOptions, "ports">;
}

export interface HttpAnswer {
  readonly status?: number;
  readonly body?: unknown;
  readonly delayMs?: number;
}

const folder = resolve(import.meta.dirname, "../../conformance");

export function conformanceCases(): readonly Case[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => readCase(name));
}

function readCase(name: string): Case {
  const { given, when, then, absent = [] } = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const events = Array.isArray(when) ? when : [when];
  const outcomes = Array.isArray(then) ? then : [then];
  if (events.length !== outcomes.length) throw new Error(`${name}: as many outcomes as events are needed`);
  const claim = name.slice(0, -".json".length).split(sep).join(": ").replaceAll("-", " ");
  return { claim, given, events: events.map(({ event, payload = {} }) => ({ event, payload })), outcomes, absent };
}
