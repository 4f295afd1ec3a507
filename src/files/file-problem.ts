import { Problem } from "../protocol/internal.ts";

/** Whether an error is about a file of ours that cannot be used as it is: a `Problem` with a code `file/…`. */
export function isFileProblem(error: unknown): error is Problem {
  return error instanceof Problem && error.code.startsWith("file/");
}

/** The system's name for what went wrong, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** The value, or undefined when the error is one of `codes`; any other error goes on. */
export async function ignoringErrors<T>(codes: readonly string[], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.includes(errorCode(error) ?? "")) return undefined;
    throw error;
  }
}
