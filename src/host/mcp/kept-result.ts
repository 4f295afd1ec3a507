import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { shortened } from "../tools/shell-output.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tools/tool.ts";
import type { CallResult } from "./connection.ts";
import { textOf } from "./content.ts";
import { plain } from "./tool-name.ts";

/** How much text of one result goes to the model: `MAX_MCP_OUTPUT_TOKENS`, 25,000 tokens of four characters unless it says otherwise. */
export function mostCharacters(env: Readonly<Record<string, string | undefined>>): number {
  const tokens = Number(env["MAX_MCP_OUTPUT_TOKENS"]);
  return charactersPerToken * (Number.isFinite(tokens) && tokens >= 1 ? Math.floor(tokens) : 25_000);
}

const charactersPerToken = 4;

/**
 * What became of a call of a server's tool. A result with more text than the limit is saved as a file beside the transcript, and the
 * model gets a sentence that says where. A long error loses its middle, as that of any tool.
 */
export async function resultOf(
  tool: Pick<Tool, "name" | "render">,
  result: CallResult,
  limit: number,
  { paths, newId }: Pick<ToolContext, "paths" | "newId">,
): Promise<ToolResult> {
  if (result.isError) return toolError(shortened(result.message), result.interrupted);
  const text = textOf(result.response);
  if (text.length <= limit) return toolSuccess(tool, result.response);
  const size = `${text.length.toLocaleString("en")} characters`;
  const tooLong = `Error: the result has ${size}, more than the ${limit / charactersPerToken} tokens that a result of an MCP tool may have.`;
  const [only] = result.response;
  const isText = result.response.length === 1 && Object(only).type === "text";
  const path = join(paths.toolResults, `${plain(tool.name)}-${newId()}.${isText ? "txt" : "json"}`);
  try {
    await mkdir(paths.toolResults, { recursive: true, mode: 0o700 });
    await writeFile(path, isText ? text : JSON.stringify(result.response, null, 2), { flag: "wx", mode: 0o600 });
  } catch (error) {
    return toolError(`${tooLong} It could not be saved either: ${(error as Error).message}. Ask for less.`);
  }
  const advice =
    "Read it in parts with offset and limit, search in it with Grep, or call the tool again and ask for less.";
  const form = isText ? "as plain text" : "as JSON, a list of content blocks";
  return toolSuccess(tool, `${tooLong} All of it is saved ${form} in ${path}. ${advice}`);
}
