import { readdirSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { EngineOptions } from "../../src/engine/internal.ts";

export type Json = Readonly<Record<string, unknown>>;

/** One file of conformance/: see its README. */
export interface Case {
  readonly claim: string;
  readonly given: Given;
  /** What loading the settings must warn of. */
  readonly loading: readonly Json[];
  readonly events: readonly { readonly event: string; readonly payload: unknown }[];
  readonly outcomes: readonly Json[];
}

export interface Given {
  /** A settings file: a value, or a text that is written unchanged. */
  readonly settings?: Json | string;
  readonly project?: Json | string;
  readonly local?: Json | string;
  readonly extra?: readonly (Json | string)[];
  readonly files?: Readonly<Record<string, unknown>>;
  readonly http?: Readonly<Record<string, HttpAnswer>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly options?: Omit<EngineOptions, "ports">;
}

export interface HttpAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly delayMs?: number;
  /** What each request must hold: method, headers, body. */
  readonly asked?: Json;
}

const folder = resolve(import.meta.dirname, "../../conformance");

export function conformanceCases(): readonly Case[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => readCase(name));
}

function readCase(name: string): Case {
  const { given, loading = [], when, then } = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const events = Array.isArray(when) ? when : [when];
  const outcomes = Array.isArray(then) ? then : [then];
  if (events.length !== outcomes.length) throw new Error(`${name}: as many outcomes as events are needed`);
  const claim = name.slice(0, -".json".length).split(sep).join(": ").replaceAll("-", " ");
  return { claim, given, loading, events: events.map(({ event, payload = {} }) => ({ event, payload })), outcomes };
}
