import { replaceLoneSurrogates } from "../message.ts";

/** A request body, as far as the rules check it. */
export interface WireRequest {
  readonly model?: unknown;
  readonly max_tokens?: unknown;
  readonly system?: string | readonly WireBlock[];
  readonly messages?: readonly WireMessage[];
  readonly tools?: readonly object[];
  readonly tool_choice?: { readonly type?: string; readonly name?: string };
  readonly thinking?: { readonly type?: string; readonly budget_tokens?: number };
}

interface WireMessage {
  readonly role?: string;
  readonly content?: string | readonly WireBlock[];
}

interface WireBlock {
  readonly type?: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly tool_use_id?: string;
  readonly signature?: string;
  readonly content?: unknown;
  readonly cache_control?: unknown;
}

/**
 * The rule of the Messages API that a request breaks, with the text of the API; undefined when it breaks none. The scripted model and the
 * test API refuse such a request with status 400, so that a test cannot pass with a request that the real API would refuse.
 */
export function brokenRule(
  given: WireRequest,
  /** The official client sends the conversation without tools to its prompt hooks; only a request of its own may. */
  { toolsOptional = false }: { readonly toolsOptional?: boolean } = {},
): string | undefined {
  // Messages of the role `system` may stand anywhere and belong to no turn.
  const messages = (given.messages ?? []).filter(({ role }) => role !== "system");
  const request = { ...given, messages };
  if (replaceLoneSurrogates(given) !== given) return "The request body is not valid JSON: no low surrogate in string";
  return (
    brokenHead(request) ??
    brokenTools(request, toolsOptional) ??
    brokenThinking(request) ??
    first(messages, brokenMessage) ??
    brokenPairs(messages) ??
    brokenCache(request)
  );
}

function brokenHead({ model, max_tokens: maxTokens, system, messages = [] }: WireRequest): string | undefined {
  if (typeof model !== "string" || model === "") return "model: Field required";
  if (typeof maxTokens !== "number" || maxTokens < 1) return "max_tokens: Input should be greater than or equal to 1";
  if (messages.length === 0) return "messages: at least one message is required";
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  if (blocksOf(system ?? []).some(isEmptyText)) return "system: text content blocks must be non-empty";
  return undefined;
}

function brokenTools(request: WireRequest, toolsOptional: boolean): string | undefined {
  const { messages = [], tools = [], tool_choice: choice } = request;
  const names = tools.flatMap((tool) => ("name" in tool ? [String(tool.name)] : []));
  if (new Set(names).size < names.length) return "tools: Tool names must be unique.";
  const odd = names.findIndex((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name));
  if (odd !== -1) return `tools.${odd}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
  if (choice !== undefined && tools.length === 0) return "tool_choice: may only be specified while providing tools";
  if (choice?.type === "tool" && !names.includes(choice.name ?? ""))
    return `tool_choice.tool: Tool '${choice.name}' not found in provided tools`;
  const usesTools = messages.some(({ content = [] }) =>
    blocksOf(content).some(({ type }) => type === "tool_use" || type === "tool_result"),
  );
  if (usesTools && tools.length === 0 && !toolsOptional)
    return "Requests which include `tool_use` or `tool_result` blocks must define tools";
  return undefined;
}

function brokenThinking({ thinking, max_tokens: maxTokens, tool_choice: choice }: WireRequest): string | undefined {
  if (thinking?.type !== "enabled") return undefined;
  const budget = thinking.budget_tokens ?? 0;
  if (budget < 1024) return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
  if (budget >= Number(maxTokens)) return "`max_tokens` must be greater than `thinking.budget_tokens`";
  if (choice?.type === "any" || choice?.type === "tool")
    return "Thinking may not be enabled when tool_choice forces tool use.";
  return undefined;
}

function brokenMessage(
  { role, content = [] }: WireMessage,
  at: number,
  all: readonly WireMessage[],
): string | undefined {
  const place = `messages.${at}`;
  if (role !== "user" && role !== "assistant") return `${place}.role: Input should be 'user' or 'assistant'`;
  if (role === all[at - 1]?.role)
    return `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`;
  const blocks = blocksOf(content);
  const isLast = at === all.length - 1;
  if (blocks.length === 0 && !(isLast && role === "assistant"))
    return `${place}: all messages must have non-empty content except for the optional final assistant message`;
  return first(blocks, (block, index) => brokenBlock(block, role, `${place}.content.${index}`));
}

function brokenBlock(block: WireBlock, role: string, place: string): string | undefined {
  if (isEmptyText(block)) return "messages: text content blocks must be non-empty";
  if (block.type === "text" && block.text?.trim() === "")
    return "messages: text content blocks must contain non-whitespace text";
  if (block.type === "tool_use" && role === "user")
    return `${place}: \`tool_use\` blocks can only be in \`assistant\` messages`;
  if (block.type === "tool_result" && role === "assistant")
    return `${place}: \`tool_result\` blocks can only be in \`user\` messages`;
  if (block.type === "tool_use" && !/^[a-zA-Z0-9_-]+$/.test(block.id ?? ""))
    return `${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  if (block.type === "thinking" && !block.signature) return `${place}.thinking.signature: Field required`;
  if (block.type === "tool_result" && Array.isArray(block.content))
    return first(block.content as WireBlock[], (inner) =>
      isEmptyText(inner) ? "messages: text content blocks must be non-empty" : undefined,
    );
  return undefined;
}

/** Each call has exactly one result, at the beginning of the next message; a result answers a call of the message before. */
function brokenPairs(messages: readonly WireMessage[]): string | undefined {
  const seen = new Set<string>();
  return first(messages, ({ content = [] }, at) => {
    const blocks = blocksOf(content);
    const calls = callIdsIn(messages[at - 1]);
    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block.tool_use_id ?? "");
    const place = `messages.${at}`;
    const twice = results.find((id, index) => results.indexOf(id) !== index);
    if (twice !== undefined)
      return `${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`;
    const stray = results.find((id) => !calls.includes(id));
    if (stray !== undefined)
      return `${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
    const lead = blocks.slice(0, results.length).every(({ type }) => type === "tool_result");
    const open = calls.filter((id) => !results.includes(id) || !lead);
    if (open.length > 0) return unanswered(at - 1, open);
    const own = callIdsIn({ content });
    if (own.some((id, index) => seen.has(id) || own.indexOf(id) !== index))
      return "messages: `tool_use` ids must be unique";
    for (const id of own) seen.add(id);
    return own.length > 0 && at === messages.length - 1 ? unanswered(at, own) : undefined;
  });
}

function unanswered(at: number, ids: readonly string[]): string {
  return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function brokenCache({ system = [], messages = [], tools = [] }: WireRequest): string | undefined {
  const blocks = [
    ...(tools as readonly WireBlock[]),
    ...blocksOf(system),
    ...messages.flatMap(({ content = [] }) => blocksOf(content)),
  ];
  const marked = blocks.filter(({ cache_control: mark }) => mark !== undefined && mark !== null).length;
  return marked > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${marked}.` : undefined;
}

function callIdsIn(message: WireMessage | undefined): readonly string[] {
  return blocksOf(message?.content ?? []).flatMap(({ type, id = "" }) => (type === "tool_use" ? [id] : []));
}

function isEmptyText({ type, text }: WireBlock): boolean {
  return type === "text" && text === "";
}

function blocksOf(content: string | readonly WireBlock[]): readonly WireBlock[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function first<Item>(
  items: readonly Item[],
  look: (item: Item, at: number, all: readonly Item[]) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const found = look(item, at, items);
    if (found !== undefined) return found;
  }
  return undefined;
}
