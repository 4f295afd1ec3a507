import { isObject, messageOf } from "../../protocol/internal.ts";
import { describeType } from "../app/argument-checks.ts";
import { type HookEvent, withField } from "../app/hook-event.ts";
import type { Answer, AnswerKind } from "./answer.ts";

/**
 * Applies rewrites to the event, so that the next handler sees them. In the returned answers each rewrite is the whole new value.
 * Contract: throws for an output that the host would drop because of its shape, and for a value that is not valid JSON. The caller treats
 * that as a failure of the handler.
 */
export function applyRewrites(event: HookEvent, answers: readonly Answer[]) {
  let current = event;
  const rewritten = answers.map((answer): Answer => {
    if (answer.kind === "updateInput" || answer.kind === "patchInput") {
      const input = answer.kind === "updateInput" ? answer.input : { ...objectOf(current["input"]), ...answer.part };
      current = withField(current, "input", input);
      return { kind: "updateInput", input };
    }
    if (answer.kind === "updateOutput" || answer.kind === "mapOutput") {
      const value = answer.kind === "updateOutput" ? answer.value : mapTexts(current["response"], answer.map);
      checkShape(current, value);
      current = withField(current, "response", value);
      return { kind: "updateOutput", value };
    }
    return answer;
  });
  rewritten.forEach(checkJson);
  return { event: current, answers: rewritten };
}

const kindsWithValues: ReadonlySet<AnswerKind> = new Set([
  "updateInput",
  "updateOutput",
  "approvePermission",
  "elicit",
  "raw",
]);

/** Checked here, where the handler is known. Later it would be a failure of the whole app. */
function checkJson(answer: Answer): void {
  if (!kindsWithValues.has(answer.kind)) return;
  try {
    JSON.stringify(answer, refusePromise);
  } catch (error) {
    throw new TypeError(`gave ${answer.kind} with a value that is not valid JSON: ${messageOf(error).split("\n")[0]}`);
  }
}

/** JSON.stringify would write a promise as {}. */
function refusePromise(_key: string, value: unknown): unknown {
  if (value instanceof Promise) throw new TypeError("it holds a promise that was not awaited");
  return value;
}

/** Hosts check the shape of a built-in tool's output, and accept any value for a tool of an MCP server. */
function checkShape(event: HookEvent, value: unknown): void {
  if (String(event["toolName"]).startsWith("mcp__")) return;
  const original = event.raw["tool_response"];
  if (original === undefined) return;
  if (describeType(original) !== describeType(value)) {
    throw new TypeError(
      `gave ${describeType(value)} as the output of ${event["toolName"]}, which is ${describeType(original)}`,
    );
  }
  const before = objectOf(original);
  const after = objectOf(value);
  const missing = Object.keys(before).filter((key) => before[key] !== undefined && after[key] === undefined);
  if (missing.length > 0) {
    throw new TypeError(`gave an output of ${event["toolName"]} without ${missing.join(", ")}; the host would drop it`);
  }
  const isString = (key: string) => typeof after[key] === "string" || after[key] === null;
  const wrong = Object.keys(before).find((key) => typeof before[key] === "string" && !isString(key));
  if (wrong === undefined) return;
  throw new TypeError(`gave an output of ${event["toolName"]} whose ${wrong} is not a string; the host would drop it`);
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return textOf(map(value));
  if (Array.isArray(value)) return value.map((inner) => mapTexts(inner, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapTexts(inner, map)]));
}

/** Hooks files run without type checks. A promise would become {} and the host would show the original output. */
function textOf(mapped: unknown): string {
  if (typeof mapped === "string") return mapped;
  const what = mapped instanceof Promise ? "a promise" : mapped === undefined ? "nothing" : describeType(mapped);
  throw new TypeError(`gave mapOutput a function that returned ${what}; it must return a string`);
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? { ...value } : {};
}
