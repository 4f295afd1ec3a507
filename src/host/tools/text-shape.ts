/** A text without what an editor must keep but a model does not see: a byte order mark, line breaks of two characters. */
export interface TextShape {
  readonly text: string;
  readonly bom: boolean;
  readonly crlf: boolean;
}

/** A file that is not UTF-8 would not come back as it was; it cannot be edited as text. */
export function decodeText(bytes: Uint8Array): TextShape | { readonly fault: string } {
  const whole = Buffer.from(bytes).toString("utf8");
  if (!Buffer.from(whole, "utf8").equals(bytes)) {
    return { fault: "The file is not UTF-8 text, so it cannot be edited as text." };
  }
  const bom = whole.startsWith("\uFEFF");
  const text = bom ? whole.slice(1) : whole;
  const crlf = text.includes("\r\n") && !/(?:^|[^\r])\n/.test(text);
  return { text: crlf ? text.replaceAll("\r\n", "\n") : text, bom, crlf };
}

export function encodeText(text: string, { bom, crlf }: TextShape): string {
  const lines = crlf ? text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") : text;
  return bom ? `\uFEFF${lines}` : lines;
}
