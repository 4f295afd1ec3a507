import { imageFacts } from "../tools/image.ts";
import type { ToolBlock, ToolContent } from "../tools/tool.ts";

/** A server's answer as hooks and transcripts have it: the blocks as they came, or what stands for them. */
export function responseOf(result: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { content, structuredContent } = result;
  if (Array.isArray(content) && (content.length > 0 || structuredContent === undefined)) return content;
  return [{ type: "text", text: JSON.stringify(structuredContent ?? null) }];
}

/** What the model sees of it: at most `mostCharacters` of text. A hook may have put any value in its place. */
export function rendered(response: unknown, mostCharacters: number): ToolContent {
  if (Array.isArray(response)) return withinLimits(response.map(blockOf), mostCharacters);
  const text = typeof response === "string" ? response : (JSON.stringify(response) ?? "");
  if (text.length <= mostCharacters) return text;
  return `${text.slice(0, mostCharacters)}\n${cutNote(text.length - mostCharacters)}`;
}

/** The text of an answer alone, for hooks, for errors, and to count it. */
export function textOf(response: readonly unknown[]): string {
  return response.map((block) => asText(block)).join("\n");
}

function blockOf(block: unknown): ToolBlock {
  const { type, data } = Object(block) as Record<string, unknown>;
  if (type !== "image" || typeof data !== "string") return { type: "text", text: asText(block) };
  // The API refuses a picture that is not of the type it is said to be, in this request and in every later one.
  const facts = isBase64.test(data) ? imageFacts(Buffer.from(data, "base64")) : undefined;
  if (facts === undefined)
    return { type: "text", text: "[image left out: it is not a PNG, JPEG, GIF or WebP picture]" };
  return { type: "image", source: { type: "base64", data, media_type: facts.mediaType } };
}

function withinLimits(blocks: readonly ToolBlock[], mostCharacters: number): readonly ToolBlock[] {
  let room = mostCharacters;
  let roomForPictures = mostOfAllPictures;
  let missing = 0;
  const kept = blocks.flatMap((block): readonly ToolBlock[] => {
    if (block.type === "image") {
      const { length } = block.source.data;
      if (length > Math.min(mostOfOnePicture, roomForPictures)) return [pictureTooLarge(length)];
      roomForPictures -= length;
      return [block];
    }
    const text = block.text.slice(0, room);
    room -= text.length;
    missing += block.text.length - text.length;
    return text === "" ? [] : [{ type: "text", text }];
  });
  return missing === 0 ? kept : [...kept, { type: "text", text: cutNote(missing) }];
}

function pictureTooLarge(length: number): ToolBlock {
  const size = `${(length / 2 ** 20).toFixed(1)} MB of base64`;
  return { type: "text", text: `[image left out: ${size} is more than one request to the API can hold]` };
}

function cutNote(characters: number): string {
  return `[cut: ${characters} more characters]`;
}

function asText(block: unknown): string {
  if (typeof block === "string") return block;
  const { type, text, resource, uri, name } = Object(block) as Record<string, unknown>;
  if (type === "text" && typeof text === "string") return text;
  if (type === "resource") return asText({ type: "text", text: Object(resource).text ?? `[${Object(resource).uri}]` });
  if (type === "resource_link") return `[${name ?? "resource"}: ${uri}]`;
  return type === undefined ? (JSON.stringify(block) ?? "") : `[${type}]`;
}

const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** In characters of base64: what the API takes of one picture, and what leaves room for the rest of a request of 32 MB. */
const mostOfOnePicture = 5 * 2 ** 20;
const mostOfAllPictures = 16 * 2 ** 20;
