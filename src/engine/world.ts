import { createHash } from "node:crypto";
import { join } from "node:path";
import { statePath } from "../files/index.ts";
import type { Hook, Warning } from "../protocol/index.ts";
import { background } from "./background.ts";
import type { World } from "./firing.ts";
import { observer } from "./observe.ts";
import type { Clock, Notice } from "./ports.ts";
import { askInTurn } from "./questions.ts";
import type { ResolvedOptions } from "./resolve-options.ts";
import { secretValues } from "./secrets.ts";
import { version } from "./version.ts";

export interface WorldParts {
  hooks(): readonly Hook[];
  warn(warning: Warning): void;
}

/** The engine's side of every run: ports, clock, folders, background, observer. */
export function openWorld(
  options: ResolvedOptions,
  { hooks, warn }: WorldParts,
): World & { tell(notice: Notice): void } {
  const tell = observer({
    observe: options.ports.observe,
    content: options.observeContent,
    secrets: () => secretValues(options.env, hooks()),
    onThrow: (error) => warn({ code: "observer-threw", message: `The observer threw: ${String(error)}` }),
  });
  const state = statePath({ env: options.env, home: options.home });
  return {
    tell,
    ports: options.ports,
    clock: options.ports.clock ?? steadyClock,
    background: background(),
    ask: askInTurn(options.ports.asker),
    home: options.home,
    projectDir: options.cwd,
    clientHome: options.clientHome,
    spillFolder: (sessionId) => join(state, "spill", nameOf(sessionId)),
    version: version(),
    strict: options.strict,
    interactive: options.interactive,
    concurrency: options.concurrency,
    bypassAvailable: options.bypassAvailable,
    ...(options.conversation ? { conversation: options.conversation } : {}),
    observe: options.ports.observe
      ? (record, payload) =>
          tell({ kind: "run", record, event: record.hook.event, sessionId: String(payload["session_id"]) })
      : nobody,
    observeBackground: (id, record) => tell({ kind: "background-ended", id, record }),
  };
}

/** Never goes back, and finer than a millisecond. */
const steadyClock: Clock = { now: () => performance.timeOrigin + performance.now() };

const nobody = (): void => undefined;

/** An id is never a path. */
function nameOf(sessionId: string): string {
  return createHash("sha256").update(sessionId).digest("hex").slice(0, 32);
}
