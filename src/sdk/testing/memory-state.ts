import {
  type Entries,
  type ScopeName,
  type StateDefaults,
  type StateDoor,
  type Store,
  stateDoor,
} from "../state/state.ts";

/** State without files, for tests and replays. */
export function memoryState(defaults: StateDefaults = {}, now: () => number = Date.now): StateDoor {
  const stores = new Map<string, Store>();
  return stateDoor(
    (scope: ScopeName | "told") => {
      const store = stores.get(scope) ?? memoryStore();
      stores.set(scope, store);
      return store;
    },
    defaults,
    now,
  );
}

/** Changes wait for each other, as they do on disk. */
function memoryStore(): Store {
  let entries: Entries = new Map();
  let last: Promise<unknown> = Promise.resolve();
  return {
    read: async () => new Map(entries),
    change(work) {
      const turn = last.then(async () => {
        const copy: Entries = new Map(structuredClone([...entries]));
        const result = await work(copy);
        entries = copy;
        return result;
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
