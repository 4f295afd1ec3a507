import { fileURLToPath } from "node:url";
import { Problem } from "../../protocol/index.ts";

/** File, line and the first line of an error, for people. */
export function firstFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const first = `${error.name}: ${error.message.split("\n")[0]}`;
  const place = placesIn(error)[0];
  return place === undefined ? first : `${place.path}:${place.line}: ${first}`;
}

/** A problem that our own code threw at the author's, with the place of the author's call. */
export function withCaller(problem: Problem, file: string): Problem {
  const [own, ...others] = placesIn(problem);
  const caller = others.find(({ path }) => path !== own?.path);
  const place = caller === undefined ? file : `${caller.path}:${caller.line}`;
  return new Problem(problem.code, `${place}: ${problem.message}`, {
    about: { ...problem.about, file },
    cause: problem,
  });
}

/** True for an error of the parser whose place Node keeps to itself. */
export function hidesItsPlace(error: unknown): boolean {
  return error instanceof SyntaxError && placesIn(error).length === 0;
}

interface Place {
  readonly path: string;
  readonly line: string;
}

/** The places in the stack that are not inside Node, the innermost first. */
function placesIn({ stack = "" }: Error): readonly Place[] {
  return stack.split("\n").flatMap((text) => {
    const [, scheme, path, line] = /(file:\/\/)?(\/.*?):(\d+)(?::\d+)?\)?$/.exec(text) ?? [];
    if (text.includes("node:") || path === undefined || line === undefined) return [];
    return [{ path: scheme ? fileURLToPath(`file://${path}`) : path, line }];
  });
}
