import { Problem } from "../../protocol/index.ts";
import { type Frame, framesOf } from "./error-location.ts";

/** File, line and the first line of an error, for people. */
export function firstFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const first = `${error.name}: ${error.message.split("\n")[0]}`;
  const place = framesOf(error)[0];
  return place === undefined ? first : `${place.path}:${lineOf(place)}: ${first}`;
}

/** A problem that our own code threw at the author's, with the place of the author's call. */
export function withCaller(problem: Problem, file: string): Problem {
  const [own, ...others] = framesOf(problem);
  const caller = others.find(({ path }) => path !== own?.path);
  const place = caller === undefined ? file : `${caller.path}:${lineOf(caller)}`;
  return new Problem(problem.code, `${place}: ${problem.message}`, {
    about: { ...problem.about, file },
    cause: problem,
  });
}

/** True for an error of the parser whose place Node keeps to itself. */
export function hidesItsPlace(error: unknown): boolean {
  return error instanceof SyntaxError && framesOf(error).length === 0;
}

function lineOf({ at }: Frame): string {
  return at.replace(/:.*/, "");
}
