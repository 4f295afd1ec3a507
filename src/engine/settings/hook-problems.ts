import {
  type CallbackHook,
  type EventRow,
  type FailurePolicy,
  type FunctionHook,
  type Hook,
  inProcessFields,
  type LayerKind,
  showValue,
  type WarningCode,
} from "../../protocol/internal.ts";
import { type Fault, fieldsFault } from "./check-fields.ts";
import { hookFault } from "./check-hooks.ts";
import { honorsOnce, isInProcess } from "./layer.ts";

export type ConfigureWarning = readonly [WarningCode, string];

/** Every reason why a hook cannot work, or not as its author expects. In no particular order. */
export function problemsOf(
  hook: Hook,
  stated: FailurePolicy | undefined,
  background: boolean,
  row: EventRow,
  kind: LayerKind,
): readonly ConfigureWarning[] {
  const found: ConfigureWarning[] = [];
  const report = (code: WarningCode, message: string): void => void found.push([code, message]);
  const fault = isInProcess(hook) ? inProcessFault(hook) : hookFault(hook);
  if (fault !== undefined)
    report("hook-invalid", `A hook of ${row.name} cannot be used: ${`${fault.field} ${fault.why}`.trim()}.`);
  if (!row.types.includes(hook.type)) {
    const taken = row.types.filter((type) => type !== "callback" && type !== "function").join(", ");
    report("type-unsupported", `${row.name} does not take ${hook.type} hooks; it takes ${taken}.`);
  }
  if (hook.once && !honorsOnce(kind))
    report("once-ignored", `once counts in skills and session hooks only; this ${row.name} hook runs every time.`);
  const noEffect = 'onFailure "block" has no effect on';
  if (row.onFailure === "open" && stated === "block")
    report("on-failure-ignored", `${noEffect} ${row.name}: a failed hook never stops anything there.`);
  if (row.onFailure === "guard" && stated === "block" && background) {
    const key = hook.type === "command" && hook.asyncRewake ? "asyncRewake" : "async";
    report("on-failure-ignored", `${noEffect} a hook with ${key}: it is not awaited, so its failure denies nothing.`);
  }
  if (hook.type === "command" && isEmptyCommand(hook.command))
    report("hook-empty", `The command of a hook of ${row.name} is empty: the hook does nothing.`);
  if (hook.type === "command" && hook.args !== undefined && /\s/.test(hook.command) && !/[\\/]/.test(hook.command)) {
    const message = `With args, ${showValue(hook.command)} is the name of one program. Put its arguments into args.`;
    report("command-has-blanks", message);
  }
  if (hook.timeout !== undefined && hook.timeout > maxUsualSeconds) {
    const asMinutes = `${hook.timeout} is ${Math.round(hook.timeout / 60)} minutes`;
    report("timeout-suspicious", `timeout is in seconds; ${asMinutes}. Did you mean ${hook.timeout / 1000}?`);
  }
  return found;
}

const maxUsualSeconds = 3_600;

/** Whether it has nothing but blanks and comments. */
function isEmptyCommand(command: unknown): boolean {
  return typeof command === "string" && command.split("\n").every((line) => /^\s*(?:#|$)/.test(line));
}

/** In-process hooks come from a program: types may have been ignored, and an instance of a class inherits its methods. */
function inProcessFault(hook: CallbackHook | FunctionHook): Fault | undefined {
  const fields = inProcessFields[hook.type];
  const given: Readonly<Record<string, unknown>> = Object.fromEntries(
    Object.keys(fields).map((name) => [name, Reflect.get(hook, name)]),
  );
  if (typeof given[hook.type] !== "function") return { field: hook.type, why: "must be a function" };
  return fieldsFault(given, fields);
}
