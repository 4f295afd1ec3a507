import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { imageInfo } from "../tools/files/file-content.ts";
import { shortenError } from "../tools/shell/shell-output.ts";
import {
  type ToolBlock,
  type ToolContent,
  type ToolContext,
  type ToolResult,
  toolError,
  toolSuccess,
} from "../tools/tool.ts";
import { safeName } from "./mcp-servers.ts";

export type CallResult =
  | { readonly isError: false; readonly response: readonly unknown[] }
  | { readonly isError: true; readonly message: string; readonly interrupted: boolean };

/** A server's answer as hooks and transcripts get it: its blocks, or its structured content as text. */
export function responseOf(result: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { content, structuredContent } = result;
  if (Array.isArray(content) && (content.length > 0 || structuredContent === undefined)) return content;
  return [{ type: "text", text: JSON.stringify(structuredContent ?? null) }];
}

/** What the model sees of it: at most `mostCharacters` of text. A hook may have put any value in its place. */
export function renderMcpResult(response: unknown, mostCharacters: number): ToolContent {
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
  // The API refuses a picture whose media type is wrong, in this request and in every later one.
  const facts = isBase64.test(data) ? imageInfo(Buffer.from(data, "base64")) : undefined;
  if (facts === undefined)
    return { type: "text", text: "[image left out: it is not a PNG, JPEG, GIF or WebP picture]" };
  return { type: "image", source: { type: "base64", data, media_type: facts.mediaType } };
}

function withinLimits(blocks: readonly ToolBlock[], mostCharacters: number): readonly ToolBlock[] {
  let room = mostCharacters;
  let roomForPictures = maxAllPicturesBytes;
  let missing = 0;
  const kept = blocks.flatMap((block): readonly ToolBlock[] => {
    if (block.type === "image") {
      const { length } = block.source.data;
      if (length > Math.min(maxPictureBytes, roomForPictures)) return [pictureTooLarge(length)];
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
/** In characters of base64: the largest image that the API accepts, and what leaves room for the rest of a request of 32 MB. */
const maxPictureBytes = 5 * 2 ** 20;
const maxAllPicturesBytes = 16 * 2 ** 20;

/** How much text of one result goes to the model: `MAX_MCP_OUTPUT_TOKENS`, by default 25,000 tokens of four characters. */
export function maxCharacters(env: Readonly<Record<string, string | undefined>>): number {
  const tokens = Number(env["MAX_MCP_OUTPUT_TOKENS"]);
  return charactersPerToken * (Number.isFinite(tokens) && tokens >= 1 ? Math.floor(tokens) : 25_000);
}

const charactersPerToken = 4;

/**
 * The result of a call of a server's tool. A result with more text than the limit is saved next to the transcript, and the
 * model gets its path. A long error loses its middle, as that of any tool.
 */
export async function resultOf(
  toolName: string,
  result: CallResult,
  limit: number,
  { paths, newId }: Pick<ToolContext, "paths" | "newId">,
): Promise<ToolResult> {
  if (result.isError) return toolError(shortenError(result.message), result.interrupted);
  const text = textOf(result.response);
  if (text.length <= limit) return toolSuccess(result.response);
  const size = `${text.length.toLocaleString("en")} characters`;
  const tooLong = `Error: the result has ${size}, more than the ${limit / charactersPerToken} tokens that a result of an MCP tool may have.`;
  const [only] = result.response;
  const isText = result.response.length === 1 && Object(only).type === "text";
  const path = join(paths.toolResults, `${safeName(toolName)}-${newId()}.${isText ? "txt" : "json"}`);
  try {
    await mkdir(paths.toolResults, { recursive: true, mode: 0o700 });
    await writeFile(path, isText ? text : JSON.stringify(result.response, null, 2), { flag: "wx", mode: 0o600 });
  } catch (error) {
    return toolError(`${tooLong} It could not be saved either: ${(error as Error).message}. Ask for less.`);
  }
  const advice =
    "Read it in parts with offset and limit, search in it with Grep, or call the tool again and ask for less.";
  const form = isText ? "as plain text" : "as JSON, a list of content blocks";
  return toolSuccess(`${tooLong} All of it is saved ${form} in ${path}. ${advice}`);
}
