import { patchOf } from "./patch.ts";
import { realPath, withAbsolute } from "./paths.ts";
import { sayError } from "./text-file.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "./tool.ts";
import { changedSinceRead, lookForWriting, saveText } from "./write-rules.ts";

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
  expand: (input, context) => withAbsolute(input, "file_path", context),
  refuse: async (input, context) => {
    const found = await lookForWriting(String(input["file_path"]), context);
    return "refused" in found ? found.refused : undefined;
  },
  run: (input, context) => write(String(input["file_path"]), String(input["content"]), context),
};

async function write(given: string, content: string, context: ToolContext): Promise<ToolResult> {
  const found = await lookForWriting(given, context);
  if ("refused" in found) return toolError(found.refused);
  const before = "bytes" in found ? found.bytes : undefined;
  try {
    if (!(await saveText(realPath(given, context), content, before, context))) return toolError(changedSinceRead);
  } catch (error) {
    return toolError(sayError(error, given));
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
