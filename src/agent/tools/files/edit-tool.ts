import { patchOf } from "../../../protocol/internal.ts";
import { inputSchema, objectSchema, plain, type SchemaValue } from "../json-schema.ts";
import { type Tool, type ToolContext, type ToolResult, toolError, toolSuccess } from "../tool.ts";
import { makeAbsolute } from "../tool-paths.ts";
import { checkWriteTarget, writeText } from "./write-tool.ts";

const editInput = inputSchema(
  {
    file_path: { type: "string", description: "The absolute path of the file" },
    old_string: { type: "string", description: "The text to replace, exactly as it is in the file" },
    new_string: { type: "string", description: "The text to put in its place" },
  },
  { replace_all: { type: "boolean", default: false, description: "Replace every occurrence" } },
);

type EditInput = SchemaValue<typeof editInput>;

const editResponse = objectSchema({
  filePath: plain.string,
  oldString: plain.string,
  newString: plain.string,
  originalFile: plain.string,
  structuredPatch: { type: "array", items: { type: "object" } },
  userModified: plain.boolean,
  replaceAll: plain.boolean,
});

export const editTool: Tool = {
  name: "Edit",
  description:
    "Replaces a piece of text in a file by another. The file must have been read before and be unchanged since. `old_string` must occur exactly once, unless `replace_all` is set. An empty `old_string` makes a new file.",
  readOnly: false,
  inputSchema: editInput,
  responseSchema: editResponse,
  render(response) {
    const { filePath, replaceAll } = response as SchemaValue<typeof editResponse>;
    const how = replaceAll ? "updated. All occurrences were successfully replaced." : "updated successfully.";
    return `The file ${filePath} has been ${how} (file state is current in your context — no need to Read it back)`;
  },
  expand: (input, context) => makeAbsolute(input, "file_path", context),
  refuse: async (input, context) => {
    const edit = input as EditInput;
    if (edit.old_string === edit.new_string) {
      return "No changes to make: old_string and new_string are exactly the same.";
    }
    const plan = await planEdit(edit, context);
    return "fault" in plan ? plan.fault : undefined;
  },
  run: (input, context) => edit(input as EditInput, context),
};

interface EditPlan {
  /** Undefined when the edit creates the file. */
  readonly bytes?: Buffer;
  readonly shape: TextShape;
  readonly after: string;
}

async function planEdit(input: EditInput, context: ToolContext): Promise<EditPlan | { readonly fault: string }> {
  const found = await checkWriteTarget(input.file_path, context);
  if ("refused" in found) return { fault: found.refused };
  if ("missing" in found) {
    if (input.old_string !== "") return { fault: found.missing };
    return { shape: { text: "", bom: false, crlf: false }, after: input.new_string };
  }
  const shape = decodeText(found.bytes);
  if ("fault" in shape) return shape;
  const wanted = matchLineBreaks(input, shape.text);
  const fault = faultOf(wanted, shape.text);
  return fault === undefined ? { bytes: found.bytes, shape, after: replaced(wanted, shape.text) } : { fault };
}

/** The model does not see line breaks. In a file with both kinds it means those that are there. */
function matchLineBreaks(input: EditInput, text: string): EditInput {
  const { old_string: old, new_string: fresh } = input;
  if (!text.includes("\r\n") || text.includes(old)) return input;
  const wide = (words: string) => words.replaceAll("\n", "\r\n");
  return text.includes(wide(old)) ? { ...input, old_string: wide(old), new_string: wide(fresh) } : input;
}

async function edit(input: EditInput, context: ToolContext): Promise<ToolResult> {
  const plan = await planEdit(input, context);
  if ("fault" in plan) return toolError(plan.fault);
  const { bytes, shape, after } = plan;
  const fault = await writeText(input.file_path, encodeText(after, shape), bytes, context);
  if (fault !== undefined) return toolError(fault);
  return toolSuccess({
    filePath: input.file_path,
    oldString: input.old_string,
    newString: input.new_string,
    originalFile: shape.text,
    structuredPatch: patchOf(shape.text, after),
    userModified: false,
    replaceAll: input.replace_all,
  });
}

function faultOf({ old_string: old, replace_all: all }: EditInput, text: string): string | undefined {
  if (old === "") return text === "" ? undefined : "Cannot create new file - file already exists.";
  const matches = text.split(old).length - 1;
  if (matches === 0) return `String to replace not found in file.\nString: ${old}`;
  if (matches === 1 || all) return undefined;
  return `Found ${matches} matches of the string to replace, but replace_all is false. To replace all occurrences, set replace_all to true. To replace only one occurrence, please provide more context to uniquely identify the instance.\nString: ${old}`;
}

/** By position, since `$&` in the new text is plain text. */
function replaced({ old_string: old, new_string: fresh, replace_all: all }: EditInput, text: string): string {
  if (old === "") return fresh;
  if (all) return text.split(old).join(fresh);
  const at = text.indexOf(old);
  return text.slice(0, at) + fresh + text.slice(at + old.length);
}

/** A text without what an editor must keep but a model does not see: a byte order mark, line breaks of two characters. */
interface TextShape {
  readonly text: string;
  readonly bom: boolean;
  readonly crlf: boolean;
}

/** A file that is not UTF-8 would be damaged by a round trip, so it is not edited. */
function decodeText(bytes: Uint8Array): TextShape | { readonly fault: string } {
  const whole = Buffer.from(bytes).toString("utf8");
  if (!Buffer.from(whole, "utf8").equals(bytes)) {
    return { fault: "The file is not UTF-8 text, so it cannot be edited as text." };
  }
  const bom = whole.startsWith("\uFEFF");
  const text = bom ? whole.slice(1) : whole;
  const crlf = text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text);
  return { text: crlf ? text.replaceAll("\r\n", "\n") : text, bom, crlf };
}

function encodeText(text: string, { bom, crlf }: TextShape): string {
  const lines = crlf ? text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") : text;
  return bom ? `\uFEFF${lines}` : lines;
}
