import { wrong } from "../app/wrong-call.ts";

/** Inputs and results beyond this are files, not messages. */
export const maxTaskBytes: number = 2 ** 20;

/** A session that adds without end is stopped before the disk is full. */
export function tooMany(session: string, open: number): Error {
  const message = `The session has ${open} open jobs, which is the limit. Wait for some, or add under one key: a key that is added again replaces its job.`;
  return wrong("too-many-tasks", message, { session, open });
}
