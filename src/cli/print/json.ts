const unseen = /[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** One JSON value for a terminal or a pipe: what would act on a terminal or turn the writing is spelled out. */
export function jsonText(value: unknown, indent: number | undefined = 2): string {
  return `${spelledOut(JSON.stringify(value, null, indent))}\n`;
}

/** JSON that says the same without characters that act on a terminal. */
export function spelledOut(json: string): string {
  return json.replace(unseen, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
