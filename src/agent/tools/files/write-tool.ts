import { lstat } from "node:fs/promises";
import { ignoringErrors, sha256 } from "../../../files/internal.ts";
import { patchOf } from "../../../protocol/internal.ts";
import { inputSchema, objectSchema, plain } from "../json-schema.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import { judgedPath, makeAbsolute } from "../tool-paths.ts";
import { errorText, fileMissing, readVersion, replaceIfUnchanged } from "./file-access.ts";

export const writeTool: Tool = {
  name: "Write",
  description:
    "Writes a whole file. Creates the file and its folders if they do not exist. An existing file must have been read before and be unchanged since.",
  readOnly: false,
  inputSchema: inputSchema({
    file_path: { type: "string", description: "The absolute path of the file" },
    content: { type: "string", description: "The new content of the file" },
  }),
  responseSchema: objectSchema({
    type: { enum: ["create", "update"] },
    filePath: plain.string,
    content: plain.string,
    structuredPatch: { type: "array", items: { type: "object" } },
    originalFile: { type: ["string", "null"] },
    userModified: plain.boolean,
  }),
  render(response) {
    const { type, filePath } = response as { type: string; filePath: string };
    const created = `File created successfully at: ${filePath}`;
    const updated = `The file ${filePath} has been updated successfully.`;
    return `${type === "create" ? created : updated} (file state is current in your context — no need to Read it back)`;
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
  const fault = await writeText(given, content, before, context);
  if (fault !== undefined) return toolError(fault);
  const original = before?.toString("utf8") ?? null;
  return toolSuccess({
    type: original === null ? "create" : "update",
    filePath: given,
    content,
    structuredPatch: original === null ? [] : patchOf(original, content),
    originalFile: original,
    userModified: false,
  });
}

const changedSinceRead =
  "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.";

export type WriteTarget =
  | { readonly bytes: Buffer }
  /** There is no file yet; the text is for a tool that needs one. */
  | { readonly missing: string }
  | { readonly refused: string };

/** Only a file that was read and is unchanged may be overwritten, and never through a link. */
export async function checkWriteTarget(given: string, context: ToolContext): Promise<WriteTarget> {
  try {
    const link = await ignoringErrors(["ENOENT", "ENOTDIR"], lstat(given));
    if (link?.isSymbolicLink()) {
      return {
        refused: `Refusing to write through symlink: ${given}. Resolve the symlink and pass the real target path explicitly.`,
      };
    }
    const path = judgedPath(given, context);
    const version = await readVersion(path);
    if (version === undefined) return { missing: fileMissing(context) };
    const read = context.readState.get(path);
    if (read === undefined) return { refused: "File has not been read yet. Read it first before writing to it." };
    return read.digest === sha256(version.bytes) ? { bytes: version.bytes } : { refused: changedSinceRead };
  } catch (error) {
    return { refused: errorText(error, given) };
  }
}

/** Writes a file that is still as it was checked; else returns why not. What is written counts as read. */
export async function writeText(
  given: string,
  text: string,
  before: Uint8Array | undefined,
  context: ToolContext,
): Promise<string | undefined> {
  try {
    const path = judgedPath(given, context);
    const expect = before === undefined ? null : sha256(before);
    if (!(await replaceIfUnchanged(path, text, expect))) return changedSinceRead;
    context.readState.set(path, { digest: sha256(text), by: "writing" });
    await context.fileTouched(path);
    return undefined;
  } catch (error) {
    return errorText(error, given);
  }
}
