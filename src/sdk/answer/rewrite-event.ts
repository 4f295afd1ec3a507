import { isObject, messageOf } from "../../protocol/internal.ts";
import { type HookEvent, withField } from "../app/hook-event.ts";
import type { Answer, AnswerKind } from "./answer.ts";

/**
 * Applies rewrites to the event, so that the next handler sees them, and gives the answers with each rewrite as the whole new value.
 * Contract: an output that the host would drop for its shape throws, and so does a value that is not valid JSON; that is a failure of the
 * handler.
 */
export function applyRewrites(
  event: HookEvent,
  answers: readonly Answer[],
): { event: HookEvent; answers: readonly Answer[] } {
  let now = event;
  const out = answers.map((answer): Answer => {
    if (answer.kind === "updateInput" || answer.kind === "patchInput") {
      const input = answer.kind === "updateInput" ? answer.input : { ...objectOf(now["input"]), ...answer.part };
      now = withField(now, "input", input);
      return { kind: "updateInput", input };
    }
    if (answer.kind === "updateOutput" || answer.kind === "mapOutput") {
      const value = answer.kind === "updateOutput" ? answer.value : mapTexts(now["response"], answer.map);
      checkShape(now, value);
      now = withField(now, "response", value);
      return { kind: "updateOutput", value };
    }
    return answer;
  });
  out.forEach(checkJson);
  return { event: now, answers: out };
}

const kindsWithValues: ReadonlySet<AnswerKind> = new Set([
  "updateInput",
  "updateOutput",
  "approvePermission",
  "elicit",
  "raw",
]);

/** Told while it is known whose answer it is: spelled, it would be a failure of the whole app. */
function checkJson(answer: Answer): void {
  if (!kindsWithValues.has(answer.kind)) return;
  try {
    JSON.stringify(answer, refusePromise);
  } catch (error) {
    throw new TypeError(`gave ${answer.kind} with a value that is not valid JSON: ${messageOf(error).split("\n")[0]}`);
  }
}

/** Somebody forgot to await: it would be written as {}. */
function refusePromise(_key: string, value: unknown): unknown {
  if (value instanceof Promise) throw new TypeError("it holds a promise that was not awaited");
  return value;
}

/** Built-in tools have a shape that the host checks; of a tool of an MCP server any value is taken. */
function checkShape(event: HookEvent, value: unknown): void {
  if (String(event["toolName"]).startsWith("mcp__")) return;
  const original = event.raw["tool_response"];
  if (original === undefined) return;
  if (kindOf(original) !== kindOf(value)) {
    throw new TypeError(`gave ${kindOf(value)} as the output of ${event["toolName"]}, which is ${kindOf(original)}`);
  }
  const [before, after] = [objectOf(original), objectOf(value)];
  const missing = Object.keys(before).filter((key) => before[key] !== undefined && after[key] === undefined);
  if (missing.length > 0) {
    throw new TypeError(`gave an output of ${event["toolName"]} without ${missing.join(", ")}; the host would drop it`);
  }
  const isOdd = (now: unknown) => typeof now !== "string" && now !== null;
  const odd = Object.keys(before).find((key) => typeof before[key] === "string" && isOdd(after[key]));
  if (odd === undefined) return;
  throw new TypeError(`gave an output of ${event["toolName"]} whose ${odd} is not a string; the host would drop it`);
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return textOf(map(value));
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, map)]));
}

/** The function comes from code without types: a promise would become {} and the host would show the output as it was. */
function textOf(mapped: unknown): string {
  if (typeof mapped === "string") return mapped;
  const what = mapped instanceof Promise ? "a promise" : mapped === undefined ? "nothing" : kindOf(mapped);
  throw new TypeError(`gave mapOutput a function that returned ${what}; it must return a text`);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? { ...value } : {};
}

function kindOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`;
}
