import type { Session } from "../sessions/index.ts";
import type { EnvExport } from "./env-file.ts";
import type { HookEvent } from "./event.ts";
import type { Git } from "./git.ts";
import type { Logger } from "./log.ts";
import type { Providers } from "./providers.ts";
import type { ScopedState, StateDoor } from "./state/state.ts";
import type { Tasks, TasksDoor } from "./tasks/tasks.ts";
import type { World } from "./world.ts";

/** The second argument of every handler. Members are made when they are first touched and kept for the event. */
export interface Context {
  /** The session's transcript, read when first touched; empty when there is none. */
  readonly transcript: Promise<Session>;
  readonly state: ScopedState;
  /** Work that goes on when the hook has ended. */
  readonly tasks: Tasks;
  readonly git: Git;
  readonly cwd: string;
  readonly projectDir: string;
  /** A path below the project. */
  path(relative: string): string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Adds a variable to the environment of the session's next shell commands. */
  exportEnv: EnvExport;
  readonly log: Logger;
  /** Aborted at the handler's deadline and when the host goes away. */
  readonly signal: AbortSignal;
  /** Tells the observers of a custom event. */
  emit(type: string, payload?: unknown): void;
  /** True while past sessions are replayed. */
  readonly replay: boolean;
}

/** What one event's handlers share. */
export interface EventScope {
  readonly event: HookEvent;
  readonly world: World;
  readonly providers: Providers;
  readonly state: StateDoor;
  readonly tasks: TasksDoor;
}

/** What is different for each handler. */
export interface HandlerScope {
  readonly space: string | undefined;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly emit: (type: string, payload: unknown) => void;
}

/** The part of the context that all handlers of an event share. */
export function eventContext({ event, world, providers, state, tasks }: EventScope): object {
  const shared = {};
  const cwd = event.cwd ?? world.cwd;
  // Asked for by those who need it only: the daemon has to fetch the caller's environment.
  const projectDir = () => world.env["CLAUDE_PROJECT_DIR"] || cwd;
  lazy(shared, {
    transcript: () => world.openTranscript(transcriptPath(event)),
    git: () => lazyGit(cwd, world),
    cwd: () => cwd,
    projectDir,
    path: () => (relative: string) => `${projectDir()}/${relative}`,
    env: () => world.env,
    exportEnv: () => async (name: string, value: string) => {
      const { exportEnv } = await import("./env-file.ts");
      await exportEnv(world.env, name, value);
    },
    replay: () => world.replay,
  });
  const { override = {} } = world;
  for (const [name, value] of Object.entries(override)) {
    Object.defineProperty(shared, name, { value, enumerable: true, configurable: true });
  }
  providers.attach(shared, event, override);
  keep(shared, { stateDoor: state, tasksDoor: tasks });
  return shared;
}

/** One handler's view of it. */
export function handlerContext(shared: object, scope: HandlerScope): Context {
  const own = Object.create(shared) as Context & { stateDoor: StateDoor; tasksDoor: TasksDoor };
  lazy(own, {
    state: () => own.stateDoor.inSpace(scope.space),
    tasks: () => own.tasksDoor.inSpace(scope.space, scope),
    log: () => scope.log,
    signal: () => scope.signal,
    emit: () => (type: string, payload: unknown) => scope.emit(type, payload),
  });
  return own;
}

/** Getters that replace themselves by their value. */
export function lazy(target: object, getters: Readonly<Record<string, () => unknown>>): void {
  for (const [name, make] of Object.entries(getters)) {
    Object.defineProperty(target, name, {
      enumerable: true,
      configurable: true,
      get() {
        const value = make();
        Object.defineProperty(target, name, { value, enumerable: true });
        return value;
      },
    });
  }
}

function keep(target: object, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) Object.defineProperty(target, name, { value });
}

function transcriptPath(event: HookEvent): string | undefined {
  const path = event["transcriptPath"];
  return typeof path === "string" && path !== "" ? path : undefined;
}

/** The real thing loads child processes; most handlers never ask. */
function lazyGit(cwd: string, world: World): Git {
  let made: Promise<Git> | undefined;
  const git = () => {
    made ??= import("./git.ts").then(({ openGit }) => openGit(cwd, world));
    return made;
  };
  return {
    root: async () => (await git()).root(),
    branch: async () => (await git()).branch(),
    head: async () => (await git()).head(),
    status: async () => (await git()).status(),
    diff: async (...args) => (await git()).diff(...args),
  };
}
