import type { Io } from "../command-line/command.ts";

export type Style = Readonly<
  Record<"bold" | "dim" | "red" | "green" | "yellow" | "blue" | "cyan", (text: string) => string>
>;

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

/** Colors on a terminal, plain text elsewhere. */
export function styleFor({ terminal }: Io): Style {
  const paint = (code: number) => (text: string) => (terminal.colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  return Object.fromEntries(Object.entries(codes).map(([name, code]) => [name, paint(code)])) as Style;
}
