import type { ContentBlock, Message } from "../message.ts";
import type { ModelRequest } from "../model.ts";
import type { AnswerCondition, Expectation, ModelScript, RequestPart, ScriptedAnswer } from "./script.ts";

/** The place of the answer a request gets, given how often each was used; undefined when the script has none for it. */
export function chooseAnswer(
  { answers }: ModelScript,
  used: readonly number[],
  request: ModelRequest,
): number | undefined {
  const index = answers.findIndex(
    (answer, at) => hasUsesLeft(answer, used[at] ?? 0) && conditionHolds(answer.when ?? {}, request),
  );
  return index === -1 ? undefined : index;
}

function hasUsesLeft({ times = 1 }: ScriptedAnswer, used: number): boolean {
  return times === "any" || used < times;
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

/** How messages call an answer: its place in the list, and its name or first words. */
export function answerLabel(answer: ScriptedAnswer, at: number): string {
  const words = answer.name ?? answer.text ?? answer.calls?.[0]?.tool ?? answer.error?.type;
  return `answer ${at + 1}${words === undefined ? "" : ` (${quoted(words)})`}`;
}

function quoted(words: string): string {
  return JSON.stringify(words.length > 60 ? `${words.slice(0, 59)}…` : words);
}

/** What a model would read, as plain text: conditions and expectations look for text in it. */
export function textOfRequest(request: ModelRequest, part: RequestPart): string {
  const { system, messages, tools } = request;
  if (part === "system") return system.join("\n");
  if (part === "messages") return messages.map(textOfMessage).join("\n");
  if (part === "last-message") return messages.slice(-1).map(textOfMessage).join("");
  if (part === "tools") return tools.map(({ name, description }) => `${name}: ${description}`).join("\n");
  return [...system, ...messages.map(textOfMessage), textOfRequest(request, "tools")].join("\n");
}

/** How long the text of a request is, without making it: a conversation may be as large as memory allows. */
export function lengthOfRequest({ system, messages, tools }: ModelRequest): number {
  const parts = system.length + messages.length + (tools.length > 0 ? tools.length : 1);
  const said = messages.reduce((sum, message) => sum + textOfMessage(message).length, 0);
  const told = system.reduce((sum, text) => sum + text.length, 0);
  const offered = tools.reduce((sum, { name, description }) => sum + name.length + 2 + description.length, 0);
  return said + told + offered + parts - 1;
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
