import {
  closestName,
  didYouMean,
  type FailurePolicy,
  type FileHook,
  fileHookTypes,
  groupFields,
  hookFields,
  isObject,
  type Warning,
} from "../../protocol/internal.ts";
import { fieldsFault, lettersOf, warningAt } from "./check-fields.ts";
import { type ClaudeCodeFile, onFailureEffect } from "./claude-code-fault.ts";
import { claudeCodeHooks } from "./claude-code-keys.ts";
import { isOfCheckout, type Layer } from "./layer.ts";

/** A group or a hook as it is in the file. */
export type SettingsEntry = Readonly<Record<string, unknown>>;

/** Where a group or a hook is. */
export interface EntryPlace {
  /** The name of the file in messages. */
  readonly file: string;
  /** How Claude Code reads the file; absent for files that it does not read as settings. */
  readonly claudeCode?: ClaudeCodeFile;
  readonly event: string;
  readonly at: string;
}

interface WithPolicy {
  readonly value: SettingsEntry;
  readonly warnings: readonly Warning[];
}

/** A guard whose failure policy has a typo stays on, in the strict reading: `block`. */
export function withValidOnFailure(
  value: SettingsEntry,
  { file, claudeCode, event, at }: EntryPlace,
  isHook: boolean,
): WithPolicy {
  const fault = fieldsFault(value, { onFailure: groupFields.onFailure, failClosed: groupFields.failClosed });
  if (fault === undefined) return withMisspelledOnFailure(value, file, at);
  const { failClosed: _, ...rest } = value;
  // Claude Code knows the key on these two types and ignores it elsewhere.
  const isKnown = isHook && fault.field === "onFailure" && (value["type"] === "command" || value["type"] === "http");
  const effect = isKnown && claudeCode !== undefined ? ` ${onFailureEffect(event, claudeCode)}.` : "";
  const text = `${asSentence(fault.why)} Hookline treats it as "block".${effect}`;
  return {
    value: { ...rest, onFailure: "block" },
    warnings: [warningAt("on-failure-invalid", file, `${at}.${fault.field}`, text)],
  };
}

/** `on_failure` or `failclosed` is meant as the policy. */
function withMisspelledOnFailure(value: SettingsEntry, file: string, at: string): WithPolicy {
  const keys = Object.keys(value).filter((key) => looksLikeOnFailure(key, value[key]));
  if (keys.length === 0) return { value, warnings: [] };
  const isLax = (key: string) => value[key] === false || laxWords.test(String(value[key]));
  const warnings = keys.map((key) => {
    const effect = isLax(key) ? "It is ignored." : 'Hookline treats it as "block".';
    const text = `is not a key of hooks.${didYouMean(key, policies, 'Did you mean "onFailure"?')} ${effect}`;
    return warningAt("on-failure-invalid", file, `${at}.${key}`, text);
  });
  return { value: keys.every(isLax) ? value : { ...value, onFailure: "block" }, warnings };
}

const policies = ["onFailure", "failClosed"];

/** `onError: "ignore"` says the opposite of a guard. */
const laxWords = /^(?:continue|allow|ignored?|open|pass|skip|warn|none)$/i;

/** Whether a key that has no effect on a hook or a group is meant as its failure policy. */
export function looksLikeOnFailure(key: string, value: unknown): boolean {
  return !allKnownKeys.has(key) && (closestName(key, policies) !== undefined || isAboutFailure(key, value));
}

/** Names for the same thing, such as `onError` and `blockOnFailure`, and the correct ones. A list or a sentence is not a policy. */
export function isAboutFailure(key: string, value: unknown): boolean {
  const isWord = typeof value === "string" && /^\S*$/.test(value.trim());
  return failureNames.test(lettersOf(key)) && (isWord || typeof value === "boolean" || isObject(value));
}

const failureNames = new RegExp(
  [
    "(?:on)?(?:fail(?:ure|s|ing)?|err(?:or)?s?)(?:policy|mode|action|behaviou?r|closed)?",
    "on(?:failed|crash|exception|timeout)s?",
    "(?:block|deny)on(?:fail(?:ure|s)?|err(?:or)?s?|crash|exception|timeout)s?",
    "fail(?:safe|secure)",
  ]
    .map((name) => `^${name}$`)
    .join("|"),
  "i",
);

/** The failure policy that a hook or a group sets itself. If the two keys contradict each other, the guard stays on. */
export function statedOnFailure({ onFailure, failClosed }: StatedPolicy): FailurePolicy | undefined {
  if (onFailure === "block" || failClosed === true) return "block";
  return onFailure === "continue" || failClosed !== undefined ? "continue" : undefined;
}

type StatedPolicy = Readonly<Partial<Record<"onFailure" | "failClosed", unknown>>>;

/** Whether an entry that cannot be used, or anything inside it, says that its failure denies. */
export function wantsBlock(value: unknown, place: EntryPlace): boolean {
  return objectsIn(value).some((one) => statedOnFailure(withValidOnFailure(one, place, false).value) === "block");
}

/** A value of a file and everything inside it, as far as they are objects. Contract: handles any depth. */
function objectsIn(value: unknown): readonly SettingsEntry[] {
  const found: SettingsEntry[] = [];
  const waiting = [value];
  while (waiting.length > 0) {
    const one = waiting.pop();
    if (isObject(one)) found.push(one);
    if (typeof one === "object" && one !== null) for (const inner of Object.values(one)) waiting.push(inner);
  }
  return found;
}

export const keysOfGroup = Object.keys(groupFields);

/** The keys of a hook that Hookline or Claude Code knows. */
export function keysOfHook(type: FileHook["type"]): readonly string[] {
  return Object.keys({ ...hookFields[type], ...claudeCodeHooks[type] });
}

const allKnownKeys: ReadonlySet<string> = new Set([...keysOfGroup, ...fileHookTypes.flatMap(keysOfHook)]);

/** What to do with a key that has no effect here: `if` on a group, `matcher` on a hook. `own` are those that have one. */
export function effectElsewhere(key: string, own: readonly string[]): string | undefined {
  if (own !== keysOfGroup && keysOfGroup.includes(key))
    return "has no effect on a hook. Move it to the group of the hook.";
  if (own !== keysOfGroup || !allKnownKeys.has(key)) return undefined;
  return "has no effect on a group. Move it into the hooks of the group.";
}

export function asSentence(sentence: string): string {
  return /[.?]$/.test(sentence) ? sentence : `${sentence}.`;
}

export const skipsEntry = "Hookline skips this entry and uses the rest of the file.";

const fails = "Hookline treats this entry as a guard that fails";
const failsNow = `${fails}: what it matches is denied until it is fixed.`;

/** The effect of an entry of a layer that cannot be used and denies. What a checkout brings has none before it is approved. */
export function effectOfFailing(layer: Layer): string {
  return isOfCheckout(layer) ? `${fails}: once it is approved, what it matches is denied until it is fixed.` : failsNow;
}

/** The warning about an entry that cannot be used, if its failure denies. */
export function asFailing(warning: Warning, effect = failsNow): Warning {
  return { ...warning, message: warning.message.replace(skipsEntry, effect).replace(failsNow, effect) };
}
