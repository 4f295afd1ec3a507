import { isObject, type Verdict } from "../../protocol/index.ts";
import { tryParse } from "./parse-output.ts";
import type { Reading } from "./reading.ts";
import { honoured } from "./verdict.ts";

/**
 * A denial or a question that can be read out of broken output, the stricter one if there are several. Never an allow: what opens a
 * door must be exact, what keeps it shut need not be.
 */
export function salvage(output: unknown, reading: Reading): Salvaged | undefined {
  const found = objectsIn(output).flatMap((object) => restrictionsIn(object));
  const word = found.find(({ decision }) => decision === "deny") ?? found[0];
  if (word === undefined) return undefined;
  const { verdict } = honoured(word.decision, word.reason, reading);
  return verdict.kind === "none" ? undefined : { verdict, spelling: word.spelling };
}

export interface Salvaged {
  readonly verdict: Verdict;
  /** How the hook wrote it, such as `decision: "DENY"`. */
  readonly spelling: string;
}

interface Restriction {
  readonly decision: "deny" | "ask";
  readonly reason: string | undefined;
  readonly spelling: string;
}

function restrictionsIn(object: Readonly<Record<string, unknown>>): Restriction[] {
  const specific = isObject(object["hookSpecificOutput"]) ? object["hookSpecificOutput"] : {};
  return [object, specific].flatMap((holder) => {
    const reason = firstText(
      holder["permissionDecisionReason"],
      holder["reason"],
      object["reason"],
      object["stopReason"],
    );
    const where = holder === object ? " at the top of the object" : "";
    const answer = holder["decision"];
    if (isObject(answer) && restriction(answer["behavior"]) === "deny") {
      const spelling = `decision.behavior: ${JSON.stringify(answer["behavior"])}${where}`;
      return [{ decision: "deny" as const, reason: firstText(answer["message"], reason), spelling }];
    }
    return ["permissionDecision", "decision"].flatMap((key) => {
      const decision = restriction(holder[key]);
      return decision === undefined
        ? []
        : [{ decision, reason, spelling: `${key}: ${JSON.stringify(holder[key])}${where}` }];
    });
  });
}

function restriction(word: unknown): "deny" | "ask" | undefined {
  if (typeof word !== "string") return undefined;
  const plain = word.trim().toLowerCase();
  if (plain === "deny" || plain === "block") return "deny";
  return plain === "ask" ? "ask" : undefined;
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value) => typeof value === "string" && value.trim() !== "") as string | undefined;
}

/** The object itself, one inside a JSON string, or every object that starts a line of the text. */
function objectsIn(output: unknown): Readonly<Record<string, unknown>>[] {
  if (isObject(output)) return [output];
  if (typeof output !== "string") return [];
  const text = output.replace(/^\uFEFF/, "").trim();
  const value = text.startsWith('"') ? tryParse(text) : undefined;
  if (typeof value === "string") return objectsIn(value);
  return objectsAtLineStarts(text);
}

function objectsAtLineStarts(text: string): Readonly<Record<string, unknown>>[] {
  const found: Readonly<Record<string, unknown>>[] = [];
  let next = 0;
  let looked = 0;
  for (const { index } of text.matchAll(/^[ \t]*\{/gm)) {
    if (index < next) continue;
    // A text of nothing but open braces would be read once per brace.
    if (looked > mostCharacters) break;
    const end = endOfObject(text, index);
    looked += (end ?? text.length) - index;
    if (end === undefined) continue;
    const value = tryParse(text.slice(index, end));
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
