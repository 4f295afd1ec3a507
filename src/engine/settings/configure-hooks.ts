import { sha256 } from "../../files/internal.ts";
import {
  defined,
  type EventRow,
  type FailurePolicy,
  type Hook,
  type HookGroup,
  type HookRef,
  intendedInWildcard,
  showValue,
  type Warning,
  type WarningCode,
} from "../../protocol/internal.ts";
import type { CompileCondition } from "../match/conditions.ts";
import {
  compileMatcher,
  guardMatcher,
  isEmptyList,
  type Matcher,
  matcherNeverWarnings,
  type ToolAliases,
} from "../match/matcher.ts";
import { hookFault, inProcessFault } from "./check-fields.ts";
import { asSentence, effectOfFailing, statedOnFailure } from "./failure-policy.ts";
import { shortened, withoutPassword } from "./hook-names.ts";
import { type ConfiguredHook, honorsOnce, isBackground, isGuard, isInProcess, type Layer, nameOf } from "./layer.ts";

/** Where a group is, and what is needed to compile it. */
export interface GroupPlace {
  readonly layer: Layer;
  /** The layer's part of the ids. Default: its kind. */
  readonly label?: string | undefined;
  readonly row: EventRow;
  /** Its number in the event's list. */
  readonly group: number;
  /** The position of its first hook in configured order. */
  readonly order: number;
  readonly aliases?: ToolAliases | undefined;
  /** The host can be woken. Default: false. */
  readonly wakes?: boolean | undefined;
  /** Needed where a hook has a condition. */
  readonly compileCondition?: CompileCondition | undefined;
  /** The failure policy when neither hook nor group has one. */
  readonly onFailure?: FailurePolicy | undefined;
  /** The event in the file, where it is another one. */
  readonly writtenFor?: string | undefined;
}

/** The hooks of one group with everything that can be computed before an event fires. */
export function configureGroup(group: HookGroup, place: GroupPlace): readonly ConfiguredHook[] {
  const { layer, row, aliases = {}, label = layer.kind, writtenFor } = place;
  const path = `hooks.${writtenFor ?? row.name}[${place.group}]`;
  const at = `${nameOf(layer)}: ${path}`;
  const { matcher, warnings } = compileMatcher(group.matcher, row.matchesOn, { place: at, aliases });
  const compiled = { matcher, warnings: warnings.length > 0 ? warnings : matcherNeverWarnings(matcher, row, at) };
  const key = `${label}:${row.name}:${place.group}`;
  return group.hooks.map((hook, index): ConfiguredHook => {
    const stated = statedOnFailure(hook) ?? statedOnFailure(group);
    const onFailure = stated ?? place.onFailure ?? "continue";
    const background = isBackground(hook, place.wakes === true);
    const guards = isGuard({ row, onFailure, background });
    const { condition, warning } = conditionOf(hook, place);
    const problems = [...(warning === undefined ? [] : [warning]), ...problemsOf(hook, stated, background, place)];
    const hookAt = `${at}.hooks[${index}]`;
    const found = [
      ...compiled.warnings,
      ...problems.map(([code, message]): Warning => ({ code, message, place: hookAt })),
    ];
    const fault = guards ? found.find(({ code }) => preventsGuard(code, matcher)) : undefined;
    const fails =
      fault && `${path}.hooks[${index}] in ${nameOf(layer)} cannot be used: ${fault.message.replace(/\.$/, "")}`;
    return {
      ref: hookRef(layer, `${key}.${index}`, row, group.matcher, hook, {
        type: hook.type,
        name: hookName(hook, row.name, group.matcher),
      }),
      hook,
      row,
      layer,
      order: place.order + index,
      group: { key, sequential: group.sequential === true },
      matcher: guards ? guardMatcher(compiled, row) : matcher,
      // A condition of a guard that cannot be evaluated counts as one that holds.
      condition: guards && (condition === "never" || !row.special.onTool) ? null : condition,
      onFailure,
      background,
      ...defined({ fails, writtenFor }),
      problems: [
        ...found.map((one) => (guards || !neverRuns.has(one.code) ? one : { ...one, message: asNeverRun(one) })),
        ...(fails === undefined
          ? []
          : [{ code: "hook-invalid" as const, message: `${fails}. ${effectOfFailing(layer)}`, place: hookAt }]),
      ],
    };
  });
}

/** With one of these a hook never runs. A guard fails instead. */
export const neverRuns: ReadonlySet<WarningCode> = new Set([
  "matcher-invalid",
  "matcher-unsafe",
  "matcher-is-rule",
  "type-unsupported",
  "if-invalid",
  "if-ignored",
]);

/** The rest of a matcher with a rule in it may match. */
function asNeverRun({ code, message }: Warning): string {
  return `${message} The hook never runs${code === "matcher-is-rule" ? " for it" : ""}.`;
}

/** Whether a problem keeps a hook from doing its work. */
function preventsGuard(code: WarningCode, matcher: Matcher): boolean {
  return neverRuns.has(code) || code === "hook-empty" || (code === "matcher-never" && isEmptyList(matcher));
}

/** Whether a hook never does its work. */
export function isUseless({ fails, problems, matcher }: ConfiguredHook): boolean {
  return fails !== undefined || problems.some(({ code }) => preventsGuard(code, matcher));
}

type ConfigureWarning = readonly [WarningCode, string];

/** Every reason why a hook cannot work, or not as its author expects. In no particular order. */
function problemsOf(
  hook: Hook,
  stated: FailurePolicy | undefined,
  background: boolean,
  { row, layer }: GroupPlace,
): ConfigureWarning[] {
  const found: ConfigureWarning[] = [];
  const report = (code: WarningCode, message: string): void => void found.push([code, message]);
  const fault = isInProcess(hook) ? inProcessFault(hook) : hookFault(hook);
  if (fault !== undefined)
    report("hook-invalid", asSentence(`A hook of ${row.name} cannot be used: ${`${fault.field} ${fault.why}`.trim()}`));
  if (!row.types.includes(hook.type)) {
    const taken = row.types.filter((type) => type !== "callback" && type !== "function").join(", ");
    report("type-unsupported", `${row.name} does not take ${hook.type} hooks; it takes ${taken}.`);
  }
  if (hook.once && !honorsOnce(layer.kind))
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

function conditionOf(
  { if: text }: Hook,
  { row, aliases = {}, compileCondition }: GroupPlace,
): { condition: ConfiguredHook["condition"]; warning?: ConfigureWarning } {
  // One that is not a string is a fault of the hook.
  if (typeof text !== "string" || text === "") return { condition: null };
  if (compileCondition === undefined) throw new TypeError("a hook with a condition needs its compiler");
  const condition = compileCondition(text, aliases);
  const shown = `if ${showValue(text)}`;
  if ("invalid" in condition) {
    return {
      condition: "never",
      warning: ["if-invalid", asSentence(`${shown} is not a permission rule: ${condition.invalid}`)],
    };
  }
  if (!row.special.onTool) {
    return { condition, warning: ["if-ignored", `${row.name} is not about a tool, so ${shown} never holds.`] };
  }
  const [name = ""] = text.trim().split("(");
  // The tool that is meant, if no host sends the one that is named: `bash(ls)`, `mcp__server`.
  const meant = Object.hasOwn(aliases, name) ? undefined : intendedInWildcard(row, name);
  if (meant === undefined) return { condition };
  const tool = showValue(meant);
  const message = `${shown} never holds for ${tool}: a tool is named in full, and case counts. Did you mean ${tool}?`;
  return { condition, warning: ["matcher-never", message] };
}

/** The reference to an entry: its id is its place and a hash of its content. */
export function hookRef(
  { kind: source, file }: Layer,
  at: string,
  { name: event }: EventRow,
  matcher: unknown,
  entry: object,
  { type, name }: Pick<HookRef, "type" | "name">,
): HookRef {
  const id = `${at}:${sha256(JSON.stringify([event, matcher ?? "", entry])).slice(0, 8)}`;
  return {
    id,
    event,
    type,
    source,
    ...defined({ file, matcher: typeof matcher === "string" ? matcher : undefined }),
    name,
  };
}

/** How users recognize it. */
function hookName(hook: Hook, event: string, matcher = ""): string {
  switch (hook.type) {
    case "command":
      return [hook.command, ...(hook.args ?? [])].join(" ").trim() || `${hook.type} on ${event}`;
    case "http":
      return withoutPassword(hook.url);
    case "mcp_tool":
      return `${hook.server}:${hook.tool}`;
    case "prompt":
    case "agent":
      return shortened(hook.prompt);
    default:
      return hook.name ?? `${hook.type} on ${event}${matcher === "" ? "" : ` [${matcher}]`}`;
  }
}
