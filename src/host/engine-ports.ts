import type { Ports } from "../engine/index.ts";
import { inTurn } from "./asking.ts";
import type { Permissions } from "./permissions.ts";
import type { Thread } from "./thread.ts";

/** What the host lends the engine. */
export function enginePorts(main: () => Thread, permissions: Permissions): Ports {
  return {
    judge: permissions.judgeAllowed,
    asker: async (question, signal) => {
      const { person } = main().session.options;
      if (person?.question === undefined) return undefined;
      return inTurn(main(), signal, async () => person.question?.(question, signal));
    },
  };
}
