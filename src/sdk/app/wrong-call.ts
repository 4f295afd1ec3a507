import { Problem, type ProblemCode } from "../../protocol/index.ts";

type Code = ProblemCode extends infer One ? (One extends `sdk/${infer What}` ? What : never) : never;

/** A wrong call of this door. Contract: the code is stable, `sdk/<what>`; the message names the thing, the place and the way out. */
export function wrong(what: Code, message: string, about: Record<string, unknown> = {}, cause?: unknown): Problem {
  return new Problem(`sdk/${what}`, message, { about, ...(cause === undefined ? {} : { cause }) });
}
