import type { StateDefaults } from "../state/state.ts";
import type { TaskDefinition } from "../tasks/task.ts";
import type { TaskBackend } from "../tasks/task-backend.ts";
import type { Observers } from "./observers.ts";
import type { Providers } from "./providers.ts";
import type { FailureMode, Middleware, Registration } from "./registration.ts";

export interface AppOptions<Defaults extends StateDefaults = StateDefaults> {
  /** What a failure means when the registration does not say; `continue` unless told. */
  readonly onFailure?: FailureMode;
  /** For handlers that name none. */
  readonly timeoutMs?: number;
  /** Where state lies instead of the user's state folder. */
  readonly stateDir?: string;
  /** The most one scope of state may hold; 1 MiB unless told. */
  readonly stateMaxBytes?: number;
  /** Types and values of keys that were never set. */
  readonly state?: Defaults;
  /** Where background jobs lie and who runs them; files and a worker of this user unless told. */
  readonly tasks?: TaskBackend;
  /** `false`: nothing is logged. `content`: inputs and outputs too. */
  readonly log?: boolean | { readonly content?: boolean; readonly maxBytes?: number; readonly files?: number };
}

/** Checks a tool's input: a Standard Schema, or a function that gives the parsed input or throws. */
export type ToolSchema =
  | ((input: unknown) => unknown)
  | { readonly "~standard": { readonly validate: (input: unknown) => unknown } };

/** What an app is made of. */
export interface AppParts {
  readonly options: AppOptions;
  readonly registrations: Registration[];
  readonly middleware: Middleware[];
  readonly providers: Providers;
  readonly observers: Observers;
  readonly schemas: Map<string, ToolSchema>;
  readonly tasks: Map<string, TaskDefinition>;
}
