import type { ToolBlock, ToolContent } from "../tools/tool.ts";

/** A server's answer as hooks and transcripts have it: the blocks as they came, or what stands for them. */
export function responseOf(result: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { content, structuredContent } = result;
  if (Array.isArray(content) && (content.length > 0 || structuredContent === undefined)) return content;
  return [{ type: "text", text: JSON.stringify(structuredContent ?? null) }];
}

/** What the model sees of it. A hook may have put any value in its place. */
export function rendered(response: unknown): ToolContent {
  if (typeof response === "string") return cut(response);
  if (!Array.isArray(response)) return cut(JSON.stringify(response) ?? "");
  return response.map(blockOf);
}

/** The text of an answer alone, for hooks and for errors. */
export function textOf(response: readonly unknown[]): string {
  return response.map((block) => asText(block)).join("\n");
}

function blockOf(block: unknown): ToolBlock {
  const { type, data, mimeType } = Object(block) as Record<string, unknown>;
  if (type !== "image" || typeof data !== "string") return { type: "text", text: cut(asText(block)) };
  return { type: "image", source: { type: "base64", data, media_type: String(mimeType ?? "image/png") } };
}

function asText(block: unknown): string {
  if (typeof block === "string") return block;
  const { type, text, resource, uri, name } = Object(block) as Record<string, unknown>;
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource") return asText({ type: "text", text: Object(resource).text ?? `[${Object(resource).uri}]` });
  if (type === "resource_link") return `[${name ?? "resource"}: ${uri}]`;
  return type === undefined ? (JSON.stringify(block) ?? "") : `[${type}]`;
}

function cut(text: string): string {
  if (text.length <= mostCharacters) return text;
  return `${text.slice(0, mostCharacters)}\n[cut: ${text.length - mostCharacters} more characters]`;
}

/** About 25,000 tokens. */
const mostCharacters = 100_000;
