import type { ContentBlock, Message } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import type { AnswerCondition, Expectation, ModelScript, RequestPart, ScriptedAnswer } from "./script.ts";

/** The index of the answer that a request gets, given how often each was used; -1 when the script has none for it. */
export function chooseAnswer({ answers }: ModelScript, used: readonly number[], request: ModelRequest): number {
  return answers.findIndex(
    ({ times = 1, when = {} }, at) => (times === "any" || (used[at] ?? 0) < times) && conditionHolds(when, request),
  );
}

function conditionHolds({ purpose = "main", agent, lastMessage }: AnswerCondition, request: ModelRequest): boolean {
  if (purpose !== "any" && purpose !== request.purpose) return false;
  if (agent !== undefined && agent !== request.subagent) return false;
  return lastMessage === undefined || textOfRequest(request, "last-message").includes(lastMessage);
}

/** Expectations that the request does not meet, a sentence each. */
export function unmetExpectations(expectations: readonly Expectation[], request: ModelRequest): readonly string[] {
  return expectations.flatMap(({ in: part = "request", contains = [], lacks = [] }) => {
    const text = textOfRequest(request, part);
    return [
      ...contains.filter((words) => !text.includes(words)).map((words) => `${part} should contain ${quoted(words)}`),
      ...lacks.filter((words) => text.includes(words)).map((words) => `${part} should lack ${quoted(words)}`),
    ];
  });
}

/** Answers that were to be used and were not, or not often enough. */
export function unusedAnswers({ answers }: ModelScript, used: readonly number[]): readonly string[] {
  return answers.flatMap((answer, at) => {
    const { times = 1 } = answer;
    const missing = times === "any" ? 0 : times - (used[at] ?? 0);
    if (missing <= 0) return [];
    return [`${answerLabel(answer, at)} was not asked for${times === 1 ? "" : ` ${missing} of ${times} times`}`];
  });
}

/** How messages name an answer: by its place in the list, and its name or first text. */
export function answerLabel(answer: ScriptedAnswer, at: number): string {
  const words = answer.name ?? answer.text ?? answer.calls?.[0]?.tool ?? answer.error?.type;
  return `answer ${at + 1}${words === undefined ? "" : ` (${quoted(words)})`}`;
}

function quoted(words: string): string {
  return JSON.stringify(words.length > 60 ? `${words.slice(0, 59)}…` : words);
}

/** What a model would read, as plain text: conditions and expectations look for text in it. */
function textOfRequest(request: ModelRequest, part: RequestPart): string {
  return textsOf(request, part).join("\n");
}

/** The length of a request's text. The text is not built: a conversation may be as large as memory allows. */
export function lengthOfRequest(request: ModelRequest): number {
  const texts = textsOf(request, "request");
  return texts.reduce((sum, text) => sum + text.length, texts.length - 1);
}

function textsOf(request: ModelRequest, part: RequestPart): readonly string[] {
  const { system, messages, tools } = request;
  if (part === "system") return system;
  if (part === "messages") return messages.map(textOfMessage);
  if (part === "last-message") return messages.slice(-1).map(textOfMessage);
  if (part === "tools") return tools.map(({ name, description }) => `${name}: ${description}`);
  return [...system, ...messages.map(textOfMessage), textsOf(request, "tools").join("\n")];
}

function textOfMessage({ content }: Message): string {
  return typeof content === "string" ? content : content.map(textOfBlock).join("\n");
}

function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return block.thinking;
    case "tool_use":
      return `${block.name} ${JSON.stringify(block.input)}`;
    case "tool_result":
      return typeof block.content === "string" ? block.content : (block.content ?? []).map(textOfBlock).join("\n");
    default:
      return `[${block.type}]`;
  }
}
