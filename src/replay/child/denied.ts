/** An error like those of the permission model, for what the model does not cover. */
export class Denied extends Error {
  readonly code = "ERR_ACCESS_DENIED";

  constructor(what: string) {
    super(`${what} is refused: this is a replay, and a replay has no effects`);
  }
}

export function isDenied(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ERR_ACCESS_DENIED";
}
