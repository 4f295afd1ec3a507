import { readdirSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import type { EngineOptions } from "../../src/engine/internal.ts";
import { attempt, isObject } from "../../src/protocol/internal.ts";

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

/** Throws an error that names every file with a mistake in its form. */
export function conformanceCases(): readonly Case[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => ({ name: name.split(sep).join("/"), text: readFileSync(join(folder, name), "utf8") }));
  const faults = files.flatMap(({ name, text }) => caseFault(name, text) ?? []);
  if (faults.length > 0) throw new Error(`conformance/ has cases with mistakes:\n${faults.join("\n")}`);
  return files.map(({ name, text }) => readCase(name, text));
}

/** What is wrong with the form of a case, after the name of its file. */
export function caseFault(name: string, text: string): string | undefined {
  const faults = [...(isCaseName.test(name) ? [] : ["a name has letters, digits and hyphens only"]), ...inText(text)];
  return faults.length === 0 ? undefined : `${name}: ${faults.join("; ")}`;
}

const isCaseName = /^[\w-]+(?:\/[\w-]+)+\.json$/;

function inText(text: string): readonly string[] {
  const content: unknown = attempt(() => JSON.parse(text));
  if (!isObject(content)) return ["not a JSON object"];
  const { given, when, then } = content;
  const events = [when].flat();
  return [
    ...["given", "when", "then"].filter((key) => content[key] === undefined).map((key) => `"${key}" is missing`),
    ...unknownKeys(content, ["given", "loading", "when", "then", "interop"], "key"),
    ...unknownKeys(given, givenKeys, "key of given"),
    ...events.flatMap((one) => unknownKeys(one, ["event", "payload"], "key of when")),
    ...(when === undefined || then === undefined || events.length === [then].flat().length
      ? []
      : ["as many outcomes as events are needed"]),
  ];
}

const givenKeys = Object.keys({
  settings: 1,
  project: 1,
  local: 1,
  extra: 1,
  files: 1,
  http: 1,
  env: 1,
  options: 1,
} satisfies Record<keyof Given, 1>);

function unknownKeys(value: unknown, known: readonly string[], what: string): readonly string[] {
  const unknown = Object.keys(isObject(value) ? value : {}).filter((key) => !known.includes(key));
  return unknown.map((key) => `unknown ${what} "${key}"`);
}

function readCase(name: string, text: string): Case {
  const { given, loading = [], when, then } = JSON.parse(text);
  const claim = name.slice(0, -".json".length).split("/").join(": ").replaceAll("-", " ");
  const [events, outcomes] = [[when].flat(), [then].flat()];
  return { claim, given, loading, events: events.map(({ event, payload = {} }) => ({ event, payload })), outcomes };
}
