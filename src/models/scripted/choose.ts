import type { ModelRequest } from "../model.ts";
import { textOfRequest } from "./request-text.ts";
import type { Condition, Expectation, Script, ScriptedAnswer } from "./script.ts";

/** The place of the answer a request gets, given how often each was used; undefined when the script has none for it. */
export function choose({ answers }: Script, used: readonly number[], request: ModelRequest): number | undefined {
  const index = answers.findIndex((answer, at) => left(answer, used[at] ?? 0) && holds(answer.when ?? {}, request));
  return index === -1 ? undefined : index;
}

function left({ times = 1 }: ScriptedAnswer, used: number): boolean {
  return times === "any" || used < times;
}

function holds({ purpose = "main", agent, lastMessage }: Condition, request: ModelRequest): boolean {
  if (purpose !== "any" && purpose !== request.purpose) return false;
  if (agent !== undefined && agent !== request.agent) return false;
  return lastMessage === undefined || textOfRequest(request, "last-message").includes(lastMessage);
}

/** Expectations that the request does not meet, a sentence each. */
export function unmet(expectations: readonly Expectation[], request: ModelRequest): readonly string[] {
  return expectations.flatMap(({ in: part = "request", contains = [], lacks = [] }) => {
    const text = textOfRequest(request, part);
    return [
      ...contains.filter((words) => !text.includes(words)).map((words) => `${part} should contain ${quoted(words)}`),
      ...lacks.filter((words) => text.includes(words)).map((words) => `${part} should lack ${quoted(words)}`),
    ];
  });
}

/** Answers that were to be used and were not, or not often enough. */
export function unused({ answers }: Script, used: readonly number[]): readonly string[] {
  return answers.flatMap((answer, at) => {
    const { times = 1 } = answer;
    const missing = times === "any" ? 0 : times - (used[at] ?? 0);
    if (missing <= 0) return [];
    return [`${nameOf(answer, at)} was not asked for${times === 1 ? "" : ` ${missing} of ${times} times`}`];
  });
}

/** How messages call an answer: its place in the list, and its name or first words. */
export function nameOf(answer: ScriptedAnswer, at: number): string {
  const words = answer.name ?? answer.text ?? answer.calls?.[0]?.tool ?? answer.error?.type;
  return `answer ${at + 1}${words === undefined ? "" : ` (${quoted(words)})`}`;
}

function quoted(words: string): string {
  return JSON.stringify(words.length > 60 ? `${words.slice(0, 59)}…` : words);
}
