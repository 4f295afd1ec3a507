import { lstat } from "node:fs/promises";
import { ignoringErrors } from "../../../files/internal.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import { judgedPath, makeAbsolute } from "../tool-paths.ts";
import { errorText, readWholeFile, replaceIfUnchanged, sha256Of } from "./file-access.ts";
import { patchOf } from "./structured-patch.ts";

export const writeTool: Tool = {
  name: "Write",
  description:
    "Writes a whole file, making it and its folders when they are not there. A file that exists must have been read before and be unchanged since.",
  readOnly: false,
  inputSchema: {
    type: "object",
    properties: {
      file_path: { type: "string", description: "The absolute path of the file" },
      content: { type: "string", description: "What the file is to hold" },
    },
    required: ["file_path", "content"],
    additionalProperties: false,
  },
  responseSchema: {
    type: "object",
    required: ["type", "filePath", "content", "structuredPatch", "originalFile", "userModified"],
    properties: {
      type: { enum: ["create", "update"] },
      filePath: { type: "string" },
      content: { type: "string" },
      structuredPatch: { type: "array", items: { type: "object" } },
      originalFile: { type: ["string", "null"] },
      userModified: { type: "boolean" },
    },
  },
  render(response) {
    const { type, filePath } = response as { type: string; filePath: string };
    const what =
      type === "create"
        ? `File created successfully at: ${filePath}`
        : `The file ${filePath} has been updated successfully.`;
    return `${what} (file state is current in your context — no need to Read it back)`;
  },
  expand: (input, context) => makeAbsolute(input, "file_path", context),
  refuse: async (input, context) => {
    const found = await checkWriteTarget(String(input["file_path"]), context);
    return "refused" in found ? found.refused : undefined;
  },
  run: (input, context) => write(String(input["file_path"]), String(input["content"]), context),
};

async function write(given: string, content: string, context: ToolContext): Promise<ToolResult> {
  const found = await checkWriteTarget(given, context);
  if ("refused" in found) return toolError(found.refused);
  const before = "bytes" in found ? found.bytes : undefined;
  try {
    if (!(await writeText(judgedPath(given, context), content, before, context))) return toolError(changedSinceRead);
  } catch (error) {
    return toolError(errorText(error, given));
  }
  const original = before?.toString("utf8") ?? null;
  return toolSuccess(writeTool, {
    type: original === null ? "create" : "update",
    filePath: given,
    content,
    structuredPatch: original === null ? [] : patchOf(original, content),
    originalFile: original,
    userModified: false,
  });
}

export const changedSinceRead =
  "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.";

const maxBytes = 64 * 2 ** 20;

export type WriteTarget =
  | { readonly bytes: Buffer }
  /** There is no file yet; the words are for a tool that needs one. */
  | { readonly missing: string }
  | { readonly refused: string };

/** Only what was read, and is still what it was, may be written over; and never through a link. */
export async function checkWriteTarget(given: string, context: ToolContext): Promise<WriteTarget> {
  try {
    const link = await ignoringErrors(["ENOENT", "ENOTDIR"], lstat(given));
    if (link?.isSymbolicLink()) {
      return {
        refused: `Refusing to write through symlink: ${given}. Resolve the symlink and pass the real target path explicitly.`,
      };
    }
    const path = judgedPath(given, context);
    const bytes = await readWholeFile(path, maxBytes);
    if (bytes === undefined) {
      return { missing: `File does not exist. Note: your current working directory is ${context.cwd()}.` };
    }
    const read = context.readState.get(path);
    if (read === undefined) return { refused: "File has not been read yet. Read it first before writing to it." };
    return read.digest === sha256Of(bytes) ? { bytes } : { refused: changedSinceRead };
  } catch (error) {
    return { refused: errorText(error, given) };
  }
}

/** False when the file was no longer what it was looked at as. What is written counts as read. */
export async function writeText(
  path: string,
  text: string,
  before: Uint8Array | undefined,
  context: ToolContext,
): Promise<boolean> {
  const expect = before === undefined ? null : sha256Of(before);
  if ((await replaceIfUnchanged(path, text, expect)) === "changed") return false;
  context.readState.set(path, { digest: sha256Of(text), by: "writing" });
  await context.fileTouched(path);
  return true;
}
