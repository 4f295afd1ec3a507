import type { Hook, RunRecord, Warning } from "../protocol/index.ts";
import { background } from "./background.ts";
import type { World } from "./firing.ts";
import type { Clock, Notice, Ports } from "./ports.ts";
import { askInTurn } from "./questions.ts";
import type { ResolvedOptions } from "./resolve-options.ts";
import { version } from "./version.ts";

export interface WorldParts {
  hooks(): readonly Hook[];
  warn(warning: Warning): void;
  /** Reports a run to whoever registered its hook. */
  ran(record: RunRecord): Warning | undefined;
}

/** The engine's side of every run: ports, clock, folders, background, observer. */
export async function openWorld(options: ResolvedOptions, parts: WorldParts): Promise<World> {
  const { observe } = options.ports;
  const tell = observe === undefined ? nobody : await openObserver(observe, options, parts);
  return {
    tell,
    ports: options.ports,
    clock: options.ports.clock ?? steadyClock,
    background: background(parts.warn),
    ask: askInTurn(options.ports.asker),
    home: options.home,
    projectDir: options.cwd,
    clientHome: options.envFileRoot,
    env: options.env,
    version: version(),
    interactive: options.interactive,
    concurrency: options.concurrency,
    bypassAvailable: options.bypassAvailable,
    ...(options.conversation ? { conversation: options.conversation } : {}),
    observe: observe
      ? (record, payload) =>
          tell({ kind: "run", record, event: record.hook.event, sessionId: String(payload["session_id"]) })
      : nobody,
    backgroundEnded(id, record) {
      tell({ kind: "background-ended", id, record });
      const warning = parts.ran(record);
      if (warning !== undefined) parts.warn(warning);
    },
    warn: parts.warn,
  };
}

/** Never goes back, and finer than a millisecond. */
const steadyClock: Clock = { now: () => performance.timeOrigin + performance.now() };

const nobody = (): void => undefined;

/** Loaded for hosts that observe: what is told is redacted first. */
async function openObserver(
  observe: NonNullable<Ports["observe"]>,
  options: ResolvedOptions,
  { hooks, warn }: WorldParts,
): Promise<(notice: Notice) => void> {
  const [{ observer }, { secretValues }] = await Promise.all([import("./observe.ts"), import("./secrets.ts")]);
  let known: { hooks: readonly Hook[]; secrets: readonly string[] } | undefined;
  return observer({
    observe,
    content: options.observeContent,
    secrets: () => {
      const now = hooks();
      const same = known?.hooks.length === now.length && now.every((hook, index) => hook === known?.hooks[index]);
      if (known === undefined || !same) known = { hooks: now, secrets: secretValues(options.env, now) };
      return known.secrets;
    },
    onThrow: (error) => warn({ code: "observer-threw", message: `The observer threw: ${String(error)}` }),
  });
}
