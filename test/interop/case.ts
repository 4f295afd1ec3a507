import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import type { Script } from "../scripted-api/index.ts";
import type { DepartureName } from "./departures.ts";
import type { Facts } from "./facts.ts";
import type { VersionRange } from "./versions.ts";

/** One claim about one event, as data. Its name is the claim. */
export interface Case {
  readonly name: string;
  readonly given: Given;
  readonly when: When;
  readonly interop: Interop;
}

/**
 * The world before the event. In all strings `{{project}}`, `{{home}}`, `{{http}}` (a local server that answers by `http`)
 * and `{{refused}}` (an address without a listener) are filled in.
 */
export interface Given {
  /** The user's settings file. */
  readonly settings?: object;
  readonly project?: object;
  readonly local?: object;
  /** Further settings files, as `--settings` names them; Claude Code takes one. */
  readonly extra?: readonly object[];
  /** Files of the project. */
  readonly files?: Readonly<Record<string, string>>;
  /** Answers of the local server, by path. Each request leaves its path as a mark. */
  readonly http?: Readonly<Record<string, HttpAnswer>>;
  /** Variables of the host. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface HttpAnswer {
  readonly status?: number;
  readonly body?: string | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly delayMs?: number;
}

export interface When {
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** How Claude Code is brought into the event, and what it was seen to do. */
export interface Interop {
  /** Whether permission rules allow the tool without a hook's help; yes unless the case says no. */
  readonly permitted?: boolean;
  /** Texts to look for in what the model and the user received. */
  readonly words?: readonly string[];
  /** What the model says, where the event alone does not determine it. */
  readonly script?: Script;
  /** Whether the little MCP server `srv` is connected; for a tool of its own it always is. */
  readonly server?: boolean;
  readonly args?: readonly string[];
  /** What Claude Code does, in the newest release that was compared. */
  readonly client: Facts;
  /** What older releases did. Hookline follows the newest one, so here it may differ without a declared departure. */
  readonly older?: { readonly before: string; readonly client: Facts };
  /** Releases that cannot be brought into this case, and why. */
  readonly notRun?: VersionRange & { readonly why: string };
  /** What Hookline does instead, and which of its departures that is. Without it both must do the same. */
  readonly departure?: { readonly name: DepartureName; readonly hookline: Facts };
}

/** Cases of our own, and those of the conformance suite that say how to drive Claude Code. */
const own = join(import.meta.dirname, "cases");
const shared = join(import.meta.dirname, "..", "..", "conformance");

export function loadCases(): Case[] {
  return [...casesIn(own), ...casesIn(shared)];
}

function casesIn(folder: string): Case[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .sort()
    .flatMap((file) => readCase(folder, file));
}

function readCase(folder: string, file: string): Case[] {
  const { given, when, interop } = JSON.parse(readFileSync(join(folder, file), "utf8")) as Partial<Omit<Case, "name">>;
  if (interop === undefined && folder === shared) return [];
  if (!given || !when?.event || !interop?.client) {
    throw new Error(`${join(folder, file)}: a case needs given, when { event, payload } and interop { client }`);
  }
  const name = file.slice(0, -".json".length).split(sep).join("/");
  return [{ name, given, when: { ...when, payload: when.payload ?? {} }, interop }];
}
