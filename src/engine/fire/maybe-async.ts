/** A value that may already be there. In-process hooks mostly answer at once, and then nobody should wait a turn for it. */
export type Soon<T> = T | Promise<T>;

/** `next` of the value: now if it is there, later if it is not. */
export function soon<T, Result>(value: Soon<T>, next: (value: T) => Soon<Result>): Soon<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** All of them, in order: at once if all are there. */
export function allSoon<T>(values: readonly Soon<T>[]): Soon<readonly T[]> {
  return values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as readonly T[]);
}
