import type { ToolContent } from "./tool.ts";

interface TextFile {
  readonly content: string;
  readonly startLine: number;
  readonly totalLines: number;
}

interface ImageFile {
  readonly base64: string;
  readonly type: string;
}

/** Lines with their numbers, a picture as a block. */
export function renderRead(response: unknown): ToolContent {
  const { type, file } = response as { type: string; file: unknown };
  if (type === "image") {
    const { base64, type: mediaType } = file as ImageFile;
    return [{ type: "image", source: { type: "base64", data: base64, media_type: mediaType } }];
  }
  if (type === "file_unchanged") {
    return "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.";
  }
  return numbered(file as TextFile);
}

function numbered({ content, startLine, totalLines }: TextFile): string {
  if (content === "") {
    return `<system-reminder>Warning: the file exists but is shorter than the provided offset (${startLine}). The file has ${totalLines} lines.</system-reminder>`;
  }
  return content
    .split("\n")
    .map((line, index) => `${startLine + index}\t${line}`)
    .join("\n");
}
