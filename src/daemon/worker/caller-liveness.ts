/**
 * Whether somebody still waits for the answer to a call.
 *
 * An `AbortSignal` would say it too, but making and listening to one is among the dearest things a server can do for a call, and next to no
 * call ever needs it. The thread makes one for handlers that ask.
 */
export class Interest {
  #lost: string | undefined;
  #tell: ((why: string) => void) | undefined;

  lose(why: string): void {
    if (this.#lost !== undefined) return;
    this.#lost = why;
    this.#tell?.(why);
  }

  /** Contract: told at most once, and at once when it is lost already. Only the last who asked is told. */
  whenLost(tell: (why: string) => void): void {
    this.#tell = tell;
    if (this.#lost !== undefined) tell(this.#lost);
  }
}
