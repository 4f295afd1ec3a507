import type { Thread } from "./thread.ts";

/** The effort that a thread's model is asked for, and that hooks are told; undefined when the model has no effort levels. */
export function effortOf({ session, model }: Pick<Thread, "session" | "model">): string | undefined {
  const usual = model.port.defaultEffort?.(model.name);
  return usual === undefined ? undefined : (session.options.effort ?? usual);
}
