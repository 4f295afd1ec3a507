/** A value that may already be there. In-process hooks mostly answer at once, and then nobody should wait a turn for it. */
export type MaybeAsync<T> = T | Promise<T>;

/** `next` of the value: now if it is there, later if it is not. */
export function whenReady<T, Result>(value: MaybeAsync<T>, next: (value: T) => MaybeAsync<Result>): MaybeAsync<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All of them, in order: at once if all are there. */
export function allReady<T>(values: readonly MaybeAsync<T>[]): MaybeAsync<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}
