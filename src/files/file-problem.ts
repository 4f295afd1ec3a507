import { Problem } from "../protocol/internal.ts";

/** Whether an error is about a file of ours that cannot be used as it is: a `Problem` with a code `file/…`. */
export function isFileProblem(error: unknown): error is Problem {
  return error instanceof Problem && error.code.startsWith("file/");
}
