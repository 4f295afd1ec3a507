import { fileURLToPath } from "node:url";

/** File, line and the first line of an error, for people. */
export function firstFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const first = `${error.name}: ${error.message.split("\n")[0]}`;
  const place = placeIn(error.stack ?? "");
  return place === undefined ? first : `${place}: ${first}`;
}

/** True for an error of the parser whose place Node keeps to itself. */
export function hidesItsPlace(error: unknown): boolean {
  return error instanceof SyntaxError && placeIn(error.stack ?? "") === undefined;
}

/** The first place in the stack that is not inside Node. */
function placeIn(stack: string): string | undefined {
  for (const line of stack.split("\n")) {
    if (line.includes("node:")) continue;
    const [, scheme, path, row] = /(file:\/\/)?(\/.*?):(\d+)(?::\d+)?\)?$/.exec(line) ?? [];
    if (path !== undefined) return `${scheme ? fileURLToPath(`file://${path}`) : path}:${row}`;
  }
  return undefined;
}
