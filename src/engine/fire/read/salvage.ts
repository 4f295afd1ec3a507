import { isObject, parseJson } from "../../../protocol/internal.ts";
import type { HookRun } from "../firing-event.ts";
import { honoured } from "./read-verdict.ts";

/**
 * A denial or a question that can be read out of broken output, the stricter one if there are several. Never an allow: an
 * allow must be exact, a restriction need not be. The field `decisionName` counts as the decision, whatever its name.
 */
export function recoverRestriction(output: unknown, run: HookRun, decisionName?: string) {
  const found = objectsIn(output).flatMap((object) => restrictionsIn(object, run, decisionName));
  const word = found.find(({ decision }) => decision === "deny") ?? found[0];
  if (word === undefined) return undefined;
  const { verdict } = honoured(word.decision, word.reason, run);
  return verdict.kind === "none" ? undefined : { verdict, spelling: word.spelling };
}

type Json = Readonly<Record<string, unknown>>;

interface Restriction {
  readonly decision: "deny" | "ask";
  readonly reason: string | undefined;
  /** How the hook wrote it, such as `decision: "DENY"`. */
  readonly spelling: string;
}

function restrictionsIn(object: Json, { event: { row } }: HookRun, decisionName?: string): Restriction[] {
  return [object, specificOf(object)].flatMap((holder) => {
    const where = holder === object ? " at the top of the object" : "";
    const reason = firstText(
      holder["permissionDecisionReason"],
      holder["reason"],
      object["reason"],
      object["stopReason"],
      holder["message"],
    );
    return Object.entries(holder).flatMap(([key, value]): Restriction[] => {
      const name = key === decisionName ? "decision" : (plain(key) ?? "");
      if (name === "decision" && isObject(value) && restriction(value["behavior"]) === "deny") {
        const spelling = `${key}.behavior: ${JSON.stringify(value["behavior"])}${where}`;
        return [{ decision: "deny", reason: firstText(value["message"], reason), spelling }];
      }
      const decision = decisionUnder(name, value, row.answers.includes("action"));
      return decision === undefined ? [] : [{ decision, reason, spelling: `${key}: ${JSON.stringify(value)}${where}` }];
    });
  });
}

/** The event's own part, also as `hook_specific_output`. */
function specificOf(object: Json): Json {
  const [, value] = Object.entries(object).find(([key]) => plain(key) === "hookspecificoutput") ?? [];
  return isObject(value) ? value : {};
}

function decisionUnder(name: string, value: unknown, hasAction: boolean): Restriction["decision"] | undefined {
  if (name === "permissiondecision" || name === "decision") return restriction(value);
  // Where a verdict or a permission answer is one level off. "block" is left out: data of other kinds uses that word too.
  if (name === "kind" || name === "behavior") return plain(value) === "block" ? undefined : restriction(value);
  return name === "action" && hasAction && plain(value) === "decline" ? "deny" : undefined;
}

/** What restricts need not be exact. */
export function restriction(value: unknown): Restriction["decision"] | undefined {
  const word = plain(value);
  if (word === "deny" || word === "block") return "deny";
  return word === "ask" ? "ask" : undefined;
}

/** A name or word whatever its letters: `permission_decision` and `PermissionDecision` are one. */
function plain(text: unknown): string | undefined {
  return typeof text === "string" ? text.trim().replace(/[_-]/g, "").toLowerCase() : undefined;
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value) => typeof value === "string" && value.trim() !== "") as string | undefined;
}

/** The object itself, one inside a JSON string, or the first object of every line of the text. */
function objectsIn(output: unknown): Readonly<Record<string, unknown>>[] {
  if (isObject(output)) return [output];
  if (typeof output !== "string") return [];
  const text = output.replace(/^\uFEFF/, "").trim();
  const value = text.startsWith('"') ? parseJson(text) : undefined;
  if (typeof value === "string") return objectsIn(value);
  return objectsInLines(text);
}

function objectsInLines(text: string): Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = [];
  let next = 0;
  let looked = 0;
  // Something else may have written to the line before. An object in a list is not an answer.
  for (const match of text.matchAll(/^[^[{\n]*\{/gm)) {
    const index = match.index + match[0].length - 1;
    if (index < next) continue;
    // A text of nothing but open braces would be read once per brace.
    if (looked > mostCharacters) break;
    const end = endOfObject(text, index);
    looked += (end ?? text.length) - index;
    if (end === undefined) continue;
    const value = parseJson(text.slice(index, end));
    if (!isObject(value)) continue;
    found.push(value);
    next = end;
  }
  return found;
}

const mostCharacters = 8 * 1024 * 1024;

/** Where the object that begins at `start` ends, braces in strings not counted. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char === "\\") at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return at + 1;
  }
  return undefined;
}
