import { isObject } from "../../protocol/internal.ts";
import { defaultDeadline, type FailureMode } from "../answer/event-rules.ts";
import type { StateDefaults } from "../state/state.ts";
import type { TaskDefinition } from "../tasks/task.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import type { Observers } from "./observers.ts";
import type { Providers } from "./providers.ts";
import type { Middleware, Registration } from "./registration.ts";

/** Options of `createApp`. */
export interface AppOptions<Defaults extends StateDefaults = StateDefaults> {
  /** What a failure means when the registration does not say. Default: `continue`. */
  readonly onFailure?: FailureMode;
  /** The deadline of handlers that set none. */
  readonly timeoutMs?: number;
  /** A folder for state in place of the user's state folder. */
  readonly stateDir?: string;
  /** The size limit of one scope of state. Default: 1 MiB. */
  readonly stateMaxBytes?: number;
  /** Types and values of keys that were never set. */
  readonly state?: Defaults;
  /** Where background jobs are kept and who runs them. Default: files and a worker of this user. */
  readonly tasks?: TaskBackend;
  /** `false`: nothing is logged. `content`: inputs and outputs too. */
  readonly log?: boolean | { readonly content?: boolean; readonly maxBytes?: number; readonly files?: number };
}

/** Checks a tool's input: a Standard Schema, or a function that gives the parsed input or throws. */
export type ToolSchema =
  | ((input: unknown) => unknown)
  | { readonly "~standard": { readonly validate: (input: unknown) => unknown } };

/** Everything that was registered on an app. */
export interface AppDefinition {
  readonly options: AppOptions;
  readonly registrations: Registration[];
  readonly middleware: Middleware[];
  readonly providers: Providers;
  readonly observers: Observers;
  readonly schemas: Map<string, ToolSchema>;
  readonly tasks: Map<string, TaskDefinition>;
}

/** The longest delay of a Node timer. A longer one would fire immediately. */
export const maxTimerMs: number = 2 ** 31 - 1;

/** How long the handlers of an event may take together. `install` gives the entry in settings a little more. */
export function deadlineOf(event: string, chain: readonly Registration[], definition: AppDefinition): number {
  const usual = definition.options.timeoutMs ?? defaultDeadline(event);
  // A handler without a timeout must not be cut short because another one has a short timeout.
  const ms = chain.length === 0 ? usual : Math.max(...chain.map(({ options }) => options.timeoutMs ?? usual));
  return Math.min(ms, maxTimerMs);
}

/** The strictest mode among settings entry, app and registrations. It applies to failures outside of handlers. */
export function strictestMode(
  definition: AppDefinition,
  chain: readonly Registration[],
  given: FailureMode | undefined,
): FailureMode {
  const modes = [given, definition.options.onFailure, ...chain.map(({ onFailure }) => onFailure)];
  return modes.includes("block") ? "block" : "continue";
}

/**
 * Returns the parsed input, or throws. A function that returns nothing has only checked the input. Any other value that is not an object
 * throws: with `true` as its input a guard would find nothing to object to.
 */
export async function parseToolInput(schema: ToolSchema, input: unknown): Promise<unknown> {
  if (typeof schema === "function") {
    const parsed: unknown = await schema(input);
    if (parsed === undefined) return input;
    if (isObject(parsed)) return parsed;
    throw new TypeError(
      "the function that checks the tool's input returned no input; return the input, or throw when it is invalid",
    );
  }
  const result = (await schema["~standard"].validate(input)) as {
    readonly value?: unknown;
    readonly issues?: readonly { readonly message: string }[];
  };
  if (!result.issues) return result.value ?? input;
  throw new TypeError(
    `the tool's input does not fit its schema: ${result.issues.map(({ message }) => message).join("; ")}`,
  );
}
