import type { FileHandle } from "node:fs/promises";
import { extname } from "node:path";
import { errorCode, sha256 } from "../../../files/internal.ts";
import { defined } from "../../../protocol/internal.ts";
import { inputSchema, objectSchema, type SchemaValue } from "../json-schema.ts";
import { readableSize } from "../shell/shell-output.ts";
import { type Tool, type ToolContent, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import { judgedPath, makeAbsolute } from "../tool-paths.ts";
import { errorText, fileMissing, openNoFollow } from "./file-access.ts";
import { imageInfo, readLineWindow } from "./file-content.ts";

const readInput = inputSchema(
  { file_path: { type: "string", description: "The absolute path of the file" } },
  {
    offset: { type: "integer", minimum: 0, description: "The number of the first line to read" },
    limit: { type: "integer", minimum: 1, description: "How many lines to read" },
  },
);

type ReadInput = SchemaValue<typeof readInput>;

const maxChars = 256 * 2 ** 10;
const defaultLines = 2_000;
/** The largest image that the API accepts, before base64. */
const maxImageBytes = 3.75 * 2 ** 20;

export const readTool: Tool = {
  name: "Read",
  description:
    "Reads a file: the lines of a text with their numbers, 2,000 by default, or a picture (PNG, JPEG, GIF, WebP). `offset` is the first line, `limit` the number of lines.",
  readOnly: true,
  inputSchema: readInput,
  responseSchema: objectSchema({
    type: { enum: ["text", "image", "file_unchanged"] },
    file: { type: "object" },
  }),
  render: renderRead,
  expand: (input, context) => makeAbsolute(input, "file_path", context),
  refuse: ({ file_path }) => (endless.test(String(file_path)) ? wouldBlock(String(file_path)) : undefined),
  run: (input, context) => read(input as ReadInput, context),
};

/** Devices that are known by name; any other is recognized when it is opened. */
const endless =
  /^\/dev\/(?:zero|u?random|full|stdin|stdout|stderr|tty|console|fd\/\d+)$|^\/proc\/(?:self|\d+)\/fd\/\d+$/;

function wouldBlock(path: string): string {
  return `Cannot read '${path}': this device file would block or produce infinite output.`;
}

async function read(input: ReadInput, context: ToolContext): Promise<ToolResult> {
  let file: FileHandle | undefined;
  try {
    const path = judgedPath(input.file_path, context);
    file = await openNoFollow(path);
    const result = await readOpen(file, path, input, context);
    if (!result.isError) await context.fileTouched(path);
    return result;
  } catch (error) {
    if (context.signal.aborted) return toolError("The read was interrupted.", true);
    if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return toolError(fileMissing(context));
    return toolError(errorText(error, input.file_path));
  } finally {
    await file?.close();
  }
}

async function readOpen(file: FileHandle, path: string, input: ReadInput, context: ToolContext): Promise<ToolResult> {
  const given = input.file_path;
  const stat = await file.stat();
  if (stat.isDirectory()) return toolError(`EISDIR: illegal operation on a directory, read '${given}'`);
  if (!stat.isFile()) return toolError(wouldBlock(given));
  const picture = await readImage(file, stat.size, path, context);
  if (picture !== undefined) return picture;
  const first = Math.max(1, input.offset ?? 1);
  const count = input.limit ?? defaultLines;
  const window = await readLineWindow(file, { first, count, mostChars: maxChars }, context.signal);
  if (window.binary) return toolError(binary(given));
  if (window.tooLarge) return toolError(tooLarge(stat.size));
  const known = context.readState.get(path);
  const same = known?.by === "reading" && known.offset === input.offset && known.limit === input.limit;
  if (same && known.digest === window.digest) {
    return toolSuccess({ type: "file_unchanged", file: { filePath: given } });
  }
  const { offset, limit } = input;
  context.readState.set(path, { by: "reading", digest: window.digest, ...defined({ offset, limit }) });
  return toolSuccess({
    type: "text",
    file: {
      filePath: given,
      content: window.lines.join("\n"),
      numLines: window.lines.length,
      startLine: first,
      totalLines: window.totalLines,
    },
  });
}

async function readImage(
  file: FileHandle,
  sizeBytes: number,
  path: string,
  context: ToolContext,
): Promise<ToolResult | undefined> {
  const head = Buffer.alloc(Math.min(sizeBytes, 64 * 2 ** 10));
  await file.read(head, 0, head.length, 0);
  const facts = imageInfo(head);
  if (facts === undefined) return undefined;
  if (sizeBytes > maxImageBytes) {
    const [size, most] = [readableSize(sizeBytes), readableSize(maxImageBytes)];
    return toolError(`The image is ${size}; at most ${most} can be shown.`);
  }
  const bytes = Buffer.alloc(sizeBytes);
  await file.read(bytes, 0, sizeBytes, 0);
  context.readState.set(path, { by: "reading", digest: sha256(bytes), limit: 0 });
  const { mediaType, size } = facts;
  const dimensions = size && {
    originalWidth: size.width,
    originalHeight: size.height,
    displayWidth: size.width,
    displayHeight: size.height,
  };
  return toolSuccess({
    type: "image",
    file: {
      base64: bytes.toString("base64"),
      type: mediaType,
      originalSize: sizeBytes,
      ...defined({ dimensions }),
    },
  });
}

function binary(path: string): string {
  const kind = extname(path) === "" ? "" : ` ${extname(path)}`;
  return `This tool cannot read binary files. The file appears to be a binary${kind} file. Please use appropriate tools for binary file analysis.`;
}

function tooLarge(sizeBytes: number): string {
  return `File content (${readableSize(sizeBytes)}) exceeds maximum allowed size (256KB). Use offset and limit parameters to read specific portions of the file, or search for specific content instead of reading the whole file.`;
}

/** Lines with their numbers, a picture as a block. */
function renderRead(response: unknown): ToolContent {
  const { type, file } = response as { type: string; file: unknown };
  if (type === "image") {
    const { base64: data, type: media_type } = file as { base64: string; type: string };
    return [{ type: "image", source: { type: "base64", data, media_type } }];
  }
  if (type === "file_unchanged") {
    return "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.";
  }
  const { content, startLine, totalLines } = file as { content: string; startLine: number; totalLines: number };
  if (content === "") {
    return `<system-reminder>Warning: the file exists but is shorter than the provided offset (${startLine}). The file has ${totalLines} lines.</system-reminder>`;
  }
  return content
    .split("\n")
    .map((line, index) => `${startLine + index}\t${line}`)
    .join("\n");
}
