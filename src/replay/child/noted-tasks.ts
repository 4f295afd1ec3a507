import type { TaskBackend } from "../../sdk/index.ts";

/** Takes jobs and gives none: in a replay a task is noted, and to whoever asks for its result there is none. */
export function notedTasks(note: (task: string) => void): TaskBackend {
  let count = 0;
  return {
    add: async ({ task }) => {
      note(task);
      count += 1;
      return `replay-${count}`;
    },
    get: async () => undefined,
    list: async () => [],
    take: async () => undefined,
    cancel: async () => false,
    wake: async () => undefined,
    claim: async () => undefined,
    beat: async () => false,
    finish: async () => false,
    close: async () => undefined,
  };
}
