import type { MessageCreateParamsStreaming, MessageParam, TextBlockParam } from "@anthropic-ai/sdk/resources/messages";
import { blocksIn, type ContentBlock, joinTurns, type Message, replaceLoneSurrogates } from "../message.ts";
import type { ModelRequest, Purpose } from "../model.ts";
import { type Effort, knownModel } from "./known-models.ts";

/** A request in the format of the Messages API, with marks for its cache. */
export function messagesRequest(request: ModelRequest): MessageCreateParamsStreaming {
  const { model, maxTokens, tools, toolChoice } = request;
  const cached = worthCaching.has(request.purpose);
  const system = systemOf(request.system, cached);
  return replaceLoneSurrogates({
    model,
    max_tokens: maxTokens,
    stream: true as const,
    messages: messagesOf(request.messages, cached),
    ...(system.length > 0 ? { system } : {}),
    ...(tools.length > 0
      ? { tools: tools.map((tool) => ({ ...tool, input_schema: { ...tool.input_schema, type: "object" as const } })) }
      : {}),
    ...(toolChoice === undefined ? {} : { tool_choice: toolChoice }),
    ...thinkingOf(request),
    ...(request.effort === undefined ? {} : { output_config: { effort: request.effort as Effort } }),
  });
}

/** A conversation is sent again with every turn; a single question is not, and writing a cache costs. */
const worthCaching: ReadonlySet<Purpose> = new Set(["main", "subagent", "agent-hook"]);

const mark = { type: "ephemeral" } as const;

function systemOf(parts: readonly string[], cached: boolean): TextBlockParam[] {
  const filled = parts.filter((part) => part !== "");
  return filled.map((text, at) => ({
    type: "text",
    text,
    ...(cached && at === filled.length - 1 ? { cache_control: mark } : {}),
  }));
}

/** Marks the last two user messages, so that this call finds what the previous one wrote into the cache. */
function messagesOf(messages: readonly Message[], cached: boolean): MessageParam[] {
  const filled = messages
    .map((message) => ({ role: message.role, content: blocksIn(message).filter(sendable).map(withoutEmptyTexts) }))
    .filter(({ content }) => content.length > 0);
  const sent = joinTurns(filled);
  const marked = cached ? sent.filter(({ role }) => role === "user").slice(-2) : [];
  return sent.map((message) => {
    const blocks = blocksIn(message);
    const markAt = marked.includes(message) ? blocks.length - 1 : -1;
    const content = blocks.map((block, at) => (at === markAt ? marking(block) : block));
    return { role: message.role, content } as MessageParam;
  });
}

/** The API refuses empty texts and thinking it did not sign. */
function sendable(block: ContentBlock): boolean {
  if (block.type === "text") return block.text.trim() !== "";
  return block.type !== "thinking" || block.signature !== "";
}

function withoutEmptyTexts(block: ContentBlock): ContentBlock {
  if (block.type !== "tool_result" || !Array.isArray(block.content)) return block;
  const content = block.content as readonly Exclude<typeof block.content, string | undefined>[number][];
  return content.every(sendable) ? block : { ...block, content: content.filter(sendable) };
}

function marking(block: ContentBlock): object {
  if (block.type === "thinking" || block.type === "redacted_thinking") return block;
  return { ...block, cache_control: mark };
}

/** The API does not think when a tool is forced, nor in fewer than 1,024 tokens, nor in more than the answer may have. */
function thinkingOf({ model, messages, thinkingTokens = 0, maxTokens, toolChoice }: ModelRequest): object {
  const forced = toolChoice?.type === "any" || toolChoice?.type === "tool";
  if (forced || thinkingTokens <= 0) return {};
  if (knownModel(model)?.thinking === "adaptive") return { thinking: { type: "adaptive" } };
  const budget = Math.min(thinkingTokens, maxTokens - 1);
  if (budget < 1024 || answersUnthought(messages)) return {};
  return { thinking: { type: "enabled", budget_tokens: budget } };
}

/** In the middle of its calls a model with a budget cannot begin to think: the API wants thinking before the first call. */
function answersUnthought(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  const isResult = last?.role === "user" && blocksIn(last).some(({ type }) => type === "tool_result");
  const answer = messages.findLast(({ role }) => role === "assistant");
  const [first] = answer === undefined ? [] : blocksIn(answer).filter(sendable);
  return isResult && first?.type !== "thinking" && first?.type !== "redacted_thinking";
}
