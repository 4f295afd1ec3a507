import { appendFileSync } from "node:fs";
import { deferMethods, lazy } from "../../protocol/internal.ts";
import type { Session } from "../../sessions/internal.ts";
import type { Logger } from "../log/logger.ts";
import type { ScopedState, StateAccess } from "../state/state.ts";
import type { Tasks, TasksAccess } from "../tasks/tasks.ts";
import { describeType, sdkProblem } from "./argument-checks.ts";
import type { Git } from "./context-git.ts";
import type { HookEvent } from "./hook-event.ts";
import type { Providers } from "./providers.ts";
import { projectDirOf, type RunEnvironment } from "./run-environment.ts";

/** The second argument of every handler. Members are created on first access and kept for the event. */
export interface Context {
  /** The session's transcript, read on first access. Empty when there is none. */
  readonly transcript: Promise<Session>;
  /** What the app remembers for the session; `.project` and `.user` for longer. */
  readonly state: ScopedState;
  /** Work that continues after the hook has ended. */
  readonly tasks: Tasks;
  /** The git state of `cwd`. Its methods reject in a replay. */
  readonly git: Git;
  /** The working directory of the event. */
  readonly cwd: string;
  /** The directory in which the session was started. */
  readonly projectDir: string;
  /** A path below the project: `ctx.path("docs", "notes.md")`. Without parts, the project's folder. */
  path(...parts: readonly string[]): string;
  /** The environment of the hook. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Adds a variable to the environment of the session's next shell commands. */
  exportEnv(name: string, value: string): Promise<void>;
  /** Writes to the hook log; from `warn` up to stderr as well. */
  readonly log: Logger;
  /** Aborted at the handler's deadline and when the host goes away. */
  readonly signal: AbortSignal;
  /** Sends a custom event to the observers. */
  emit(type: string, payload?: unknown): void;
  /** True while past sessions are replayed. */
  readonly replay: boolean;
}

/** The values that all handlers of an event share. */
export interface EventScope {
  readonly event: HookEvent;
  readonly environment: RunEnvironment;
  readonly providers: Providers;
  readonly state: StateAccess;
  readonly tasks: TasksAccess;
  /** The scope of a provider's factory, independent of the handler that accesses the value first. */
  readonly forFactory: (name: string) => HandlerScope;
}

/** The values of one handler. */
export interface HandlerScope {
  readonly space: string | undefined;
  /** Creates its signal on first access. */
  readonly own: { readonly signal: AbortSignal };
  readonly log: () => Logger;
  readonly emit: (type: string, payload: unknown) => void;
}

/** The part of the context that all handlers of an event share. */
export function eventContext({ event, environment, providers, state, tasks, forFactory }: EventScope): object {
  const shared = Object.create(members) as { [eventPart]?: EventPart };
  shared[eventPart] = { holder: shared, event, environment, cwd: event.cwd ?? environment.cwd, state, tasks };
  const { override = {} } = environment;
  for (const [name, value] of Object.entries(override)) {
    Object.defineProperty(shared, name, { value, enumerable: true, configurable: true });
  }
  providers.attach(shared, event, override, (name) => handlerContext(shared, forFactory(name)));
  return shared;
}

/** The context of one handler. */
export function handlerContext(shared: object, scope: HandlerScope): Context {
  const own = Object.create(shared) as Context & { [eventPart]: EventPart; [handlerPart]?: HandlerPart };
  own[handlerPart] = { holder: own, scope, shared: own[eventPart] };
  return own;
}

const eventPart: unique symbol = Symbol("event");
const handlerPart: unique symbol = Symbol("handler");

interface EventPart extends Omit<EventScope, "providers" | "forFactory"> {
  /** The object that keeps a member once it is created. */
  readonly holder: object;
  readonly cwd: string;
}

interface HandlerPart {
  readonly holder: object;
  readonly scope: HandlerScope;
  readonly shared: EventPart;
}

/** One prototype for all contexts: creating getters for each event costs more than most handlers. */
const members: object = Object.defineProperties(
  {},
  {
    ...getters<EventPart>(eventPart, {
      transcript: ({ event, environment }) => environment.openTranscript(transcriptPath(event)),
      git: ({ cwd, environment }) => lazyGit(cwd, environment),
      cwd: ({ cwd }) => cwd,
      projectDir: ({ event, environment }) => projectDirOf(event, environment),
      path:
        ({ event, environment }) =>
        (...parts: readonly string[]) =>
          pathBelow(projectDirOf(event, environment), parts),
      env: ({ environment }) => environment.env,
      exportEnv:
        ({ environment }) =>
        (name: string, value: string) =>
          exportEnv(environment.env, name, value),
      replay: ({ environment }) => environment.replay,
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

/** Getters that create a member once and keep it in the holder. Undefined for a context without such a part. */
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

function pathBelow(folder: string, parts: readonly unknown[]): string {
  const wrong = parts.find((part) => typeof part !== "string");
  if (wrong === undefined && !parts.includes(undefined)) return [folder, ...parts].join("/");
  throw sdkProblem("bad-option", `ctx.path() takes strings, not ${describeType(wrong)}.`);
}

function transcriptPath(event: HookEvent): string | undefined {
  const path = event["transcriptPath"];
  return typeof path === "string" && path !== "" ? path : undefined;
}

/** Appends one quoted export line to the host's env file. */
async function exportEnv(env: RunEnvironment["env"], name: string, value: string): Promise<void> {
  const file = env["CLAUDE_ENV_FILE"];
  if (!file) {
    throw sdkProblem("no-env-file", "The host sets no CLAUDE_ENV_FILE for this event, so no variable can be exported.");
  }
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw sdkProblem("bad-variable", `"${name}" is not a valid name of an environment variable.`, { name });
  }
  appendFileSync(file, `export ${name}='${value.replaceAll("'", "'\\''")}'\n`, { mode: 0o600 });
}

/** Loads `node:child_process` with the first call. Most handlers never call git. */
function lazyGit(cwd: string, environment: RunEnvironment): Git {
  const open = lazy(async () => (await import("./context-git.ts")).openGit(cwd, environment));
  return deferMethods<Git>(["root", "branch", "head", "status", "diff"], open);
}
