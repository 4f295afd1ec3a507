import type { Session } from "../../sessions/internal.ts";
import type { Logger } from "../log/logger.ts";
import type { ScopedState, StateAccess } from "../state/state.ts";
import type { Tasks, TasksAccess } from "../tasks/tasks.ts";
import type { Git } from "./context-git.ts";
import type { EnvExport } from "./export-env.ts";
import type { HookEvent } from "./hook-event.ts";
import type { Providers } from "./providers.ts";
import type { RunEnvironment } from "./run-environment.ts";

/** The second argument of every handler. Members are made when they are first touched and kept for the event. */
export interface Context {
  /** The session's transcript, read when first touched; empty when there is none. */
  readonly transcript: Promise<Session>;
  readonly state: ScopedState;
  /** Work that continues after the hook has ended. */
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
  readonly world: RunEnvironment;
  readonly providers: Providers;
  readonly state: StateAccess;
  readonly tasks: TasksAccess;
  /** For the factory of a provider, whichever handler touches it first. */
  readonly forFactory: (name: string) => HandlerScope;
}

/** What is different for each handler. */
export interface HandlerScope {
  readonly space: string | undefined;
  /** Its signal is made for those who ask. */
  readonly own: { readonly signal: AbortSignal };
  readonly log: () => Logger;
  readonly emit: (type: string, payload: unknown) => void;
}

/** The part of the context that all handlers of an event share. */
export function eventContext({ event, world, providers, state, tasks, forFactory }: EventScope): object {
  const shared = Object.create(members) as { [eventPart]?: EventPart };
  shared[eventPart] = { holder: shared, event, world, cwd: event.cwd ?? world.cwd, state, tasks };
  const { override = {} } = world;
  for (const [name, value] of Object.entries(override)) {
    Object.defineProperty(shared, name, { value, enumerable: true, configurable: true });
  }
  providers.attach(shared, event, override, (name) => handlerContext(shared, forFactory(name)));
  return shared;
}

/** One handler's view of it. */
export function handlerContext(shared: object, scope: HandlerScope): Context {
  const own = Object.create(shared) as Context & { [eventPart]: EventPart; [handlerPart]?: HandlerPart };
  own[handlerPart] = { holder: own, scope, shared: own[eventPart] };
  return own;
}

const eventPart: unique symbol = Symbol("event");
const handlerPart: unique symbol = Symbol("handler");

interface EventPart extends Omit<EventScope, "providers" | "forFactory"> {
  /** Where a member is kept once it was made. */
  readonly holder: object;
  readonly cwd: string;
}

interface HandlerPart {
  readonly holder: object;
  readonly scope: HandlerScope;
  readonly shared: EventPart;
}

// Asked for by those who need it only: the daemon has to fetch the caller's environment.
const projectDir = ({ world, cwd }: EventPart): string => world.env["CLAUDE_PROJECT_DIR"] || cwd;

/** One prototype for all contexts: getters that are made for each event cost more than most handlers do. */
const members: object = Object.defineProperties(
  {},
  {
    ...getters<EventPart>(eventPart, {
      transcript: ({ event, world }) => world.openTranscript(transcriptPath(event)),
      git: ({ cwd, world }) => lazyGit(cwd, world),
      cwd: ({ cwd }) => cwd,
      projectDir,
      path: (part) => (relative: string) => `${projectDir(part)}/${relative}`,
      env: ({ world }) => world.env,
      exportEnv:
        ({ world }) =>
        async (name: string, value: string) => {
          const { exportEnv } = await import("./export-env.ts");
          await exportEnv(world.env, name, value);
        },
      replay: ({ world }) => world.replay,
    }),
    ...getters<HandlerPart>(handlerPart, {
      state: ({ shared, scope }) => shared.state.forSpace(scope.space, scope.own),
      tasks: ({ shared, scope }) => shared.tasks.forSpace(scope.space, scope.own),
      log: ({ scope }) => scope.log(),
      signal: ({ scope }) => scope.own.signal,
      emit:
        ({ scope }) =>
        (type: string, payload: unknown) =>
          scope.emit(type, payload),
    }),
  },
);

/** Contract: made once and then kept by the holder; undefined where there is no such part. */
function getters<Part extends { readonly holder: object }>(
  key: symbol,
  makers: Readonly<Record<string, (part: Part) => unknown>>,
): PropertyDescriptorMap {
  const described = Object.entries(makers).map(([name, make]): [string, PropertyDescriptor] => [
    name,
    {
      enumerable: true,
      configurable: true,
      get(this: Readonly<Record<symbol, Part | undefined>>) {
        const part = this[key];
        if (part === undefined) return undefined;
        const value = make(part);
        Object.defineProperty(part.holder, name, { value, enumerable: true });
        return value;
      },
    },
  ]);
  return Object.fromEntries(described);
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

function transcriptPath(event: HookEvent): string | undefined {
  const path = event["transcriptPath"];
  return typeof path === "string" && path !== "" ? path : undefined;
}

/** The real thing loads child processes; most handlers never ask. */
function lazyGit(cwd: string, world: RunEnvironment): Git {
  let made: Promise<Git> | undefined;
  const git = () => {
    made ??= import("./context-git.ts").then(({ openGit }) => openGit(cwd, world));
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
