import type { EventRow, FailurePolicy, Hook, HookRef, LayerKind, Settings, Warning } from "../../protocol/internal.ts";
import type { HookCondition } from "../match/conditions.ts";
import type { Matcher } from "../match/matcher.ts";

/** One source of settings, read and checked: what cannot be used is a warning beside what can. */
export interface Layer {
  readonly kind: LayerKind;
  /** The file it was read from; session hooks and callbacks have none. */
  readonly file?: string;
  /** Hooks of one plugin or skill never count as duplicates of another's. */
  readonly plugin?: PluginRoot;
  readonly frontmatter?: FrontmatterOrigin;
  readonly settings: Settings;
  /** False when the file exists but could not be used at all. */
  readonly readable: boolean;
  /** Events of which an entry could not be used. */
  readonly damaged?: readonly string[];
  readonly warnings: readonly Warning[];
  /** Hash of the bytes read; equal content, equal hash. */
  readonly contentHash: string;
}

/** The folder a plugin's hooks are written against, and what they may know of its configuration. */
export interface PluginRoot {
  readonly root: string;
  readonly data?: string;
  readonly options?: Readonly<Record<string, string>>;
}

/** Whose hooks these are, and whether the person or the checkout brought them. */
export interface FrontmatterOrigin {
  readonly of: "agent" | "skill";
  readonly name: string;
  readonly from: "user" | "project";
}

/** One hook of one event as the snapshot holds it: everything that can be worked out before an event fires. */
export interface ConfiguredHook {
  readonly ref: HookRef;
  readonly hook: Hook;
  readonly row: EventRow;
  readonly layer: Layer;
  /** Place in configured order among the event's hooks. */
  readonly order: number;
  /** Hooks of one group share this; `sequential` ones run one after another. */
  readonly group: { readonly key: string; readonly sequential: boolean };
  readonly matcher: Matcher;
  /** `null`: none. `never`: it cannot be read, so it never holds. */
  readonly condition: HookCondition | "never" | null;
  readonly onFailure: FailurePolicy;
  /** What loading had to say about it. */
  readonly problems: readonly Warning[];
}

/** It runs here, as a function of the host: no process, no request, nothing to wait for a place. */
export function isInProcess({ type }: Hook): boolean {
  return type === "callback" || type === "function";
}

/** Nobody is to wait for it. */
export function isBackground(hook: Hook): boolean {
  return hook.type === "command" && (hook.async === true || hook.asyncRewake === true);
}

/** Hooks of skills and sessions may run once; elsewhere `once` has no effect. */
export function honorsOnce(source: ConfiguredHook["layer"]["kind"]): boolean {
  return source === "skill" || source === "session";
}

/** Whether a hook of the event can keep a tool call from running. */
export function guardsToolCalls({ special, onFailure, blocks }: EventRow): boolean {
  return special.onTool === true && onFailure === "guard" && blocks !== null;
}
