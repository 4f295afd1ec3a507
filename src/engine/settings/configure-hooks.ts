import { sha256 } from "../../files/internal.ts";
import {
  defined,
  type EventRow,
  type FailurePolicy,
  type Hook,
  type HookGroup,
  type HookRef,
  intendedName,
  type LayerKind,
  showValue,
  type Warning,
  type WarningCode,
} from "../../protocol/internal.ts";
import type { CompileCondition } from "../match/conditions.ts";
import { compileMatcher, matcherNeverWarnings, type ToolAliases } from "../match/matcher.ts";
import { hookFault } from "./check-hooks.ts";
import { statedOnFailure } from "./failure-policy.ts";
import { type ConfiguredHook, honorsOnce, isBackground, isInProcess, type Layer } from "./layer.ts";
import { nameOf } from "./read-layer.ts";

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
  /** Needed where a hook has a condition. */
  readonly compileCondition?: CompileCondition | undefined;
  /** The failure policy when neither hook nor group has one. */
  readonly onFailure?: FailurePolicy | undefined;
}

/** The hooks of one group with everything that can be computed before an event fires. */
export function configureGroup(group: HookGroup, place: GroupPlace): readonly ConfiguredHook[] {
  const { layer, row, aliases = {}, label = layer.kind } = place;
  const at = `${nameOf(layer)}: hooks.${row.name}[${place.group}]`;
  const { matcher, warnings } = compileMatcher(group.matcher, row.matchesOn, { place: at, aliases });
  const never = warnings.length > 0 ? [] : matcherNeverWarnings(matcher, row, at);
  const key = `${label}:${row.name}:${place.group}`;
  return group.hooks.map((hook, index): ConfiguredHook => {
    const stated = statedOnFailure(hook) ?? statedOnFailure(group);
    const { condition, warning } = conditionOf(hook, place);
    const problems = [...(warning === undefined ? [] : [warning]), ...problemsOf(hook, stated, row, layer.kind)];
    const hookAt = `${at}.hooks[${index}]`;
    return {
      ref: refOf(hook, group, layer, row, `${key}.${index}`),
      hook,
      row,
      layer,
      order: place.order + index,
      group: { key, sequential: group.sequential === true },
      matcher,
      condition,
      onFailure: stated ?? place.onFailure ?? "continue",
      problems: [
        ...warnings,
        ...never,
        ...problems.map(([code, message]): Warning => ({ code, message, place: hookAt })),
      ],
    };
  });
}

type ConfigureWarning = readonly [WarningCode, string];

/** Every reason why a hook cannot work, or not as its author expects. In no particular order. */
function problemsOf(
  hook: Hook,
  stated: FailurePolicy | undefined,
  row: EventRow,
  kind: LayerKind,
): readonly ConfigureWarning[] {
  const found: ConfigureWarning[] = [];
  const report = (code: WarningCode, message: string): void => void found.push([code, message]);
  const fault = isInProcess(hook) ? inProcessFault(hook) : faultText(hook);
  if (fault !== undefined) report("hook-invalid", `A hook of ${row.name} cannot be used: ${fault}.`);
  if (!row.types.includes(hook.type)) {
    const taken = row.types.filter((type) => type !== "callback" && type !== "function").join(", ");
    report("type-unsupported", `${row.name} does not take ${hook.type} hooks; it takes ${taken}. This one never runs.`);
  }
  if (hook.once && !honorsOnce(kind))
    report("once-ignored", `once counts in skills and session hooks only; this ${row.name} hook runs every time.`);
  const noEffect = 'onFailure "block" has no effect on';
  if (row.onFailure === "open" && stated === "block")
    report("on-failure-ignored", `${noEffect} ${row.name}: a failed hook never stops anything there.`);
  if (row.onFailure === "guard" && stated === "block" && isBackground(hook)) {
    const isWoken = hook.type === "command" && hook.asyncRewake;
    const when = isWoken
      ? "a hook with asyncRewake: it is not awaited where the host can be woken"
      : "a hook with async: it is not awaited";
    report("on-failure-ignored", `${noEffect} ${when}, so its failure denies nothing.`);
  }
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

/** In-process hooks come from a program, whose types may have been ignored. */
function inProcessFault(hook: Hook): string | undefined {
  if (hook.type === "callback")
    return typeof hook.callback === "function" ? undefined : "`callback` must be a function";
  if (hook.type !== "function") return undefined;
  if (typeof hook.function !== "function") return "`function` must be a function";
  return typeof hook.errorMessage === "string" ? undefined : "errorMessage is missing";
}

function faultText(hook: Hook): string | undefined {
  const fault = hookFault(hook);
  return fault && `${fault.field} ${fault.why}`.trim();
}

function conditionOf(
  { if: text }: Hook,
  { row, aliases = {}, compileCondition }: GroupPlace,
): { condition: ConfiguredHook["condition"]; warning?: ConfigureWarning } {
  if (text === undefined || text === "") return { condition: null };
  if (compileCondition === undefined) throw new TypeError("a hook with a condition needs its compiler");
  const condition = compileCondition(text, aliases);
  const shown = `if ${showValue(text)}`;
  if ("invalid" in condition) {
    const message = `${shown} never holds, so the hook never runs: ${condition.invalid}`;
    return { condition: "never", warning: ["if-invalid", message] };
  }
  if (!row.special.onTool) {
    const message = `${row.name} has no tool that ${shown} could hold for: the hook never runs.`;
    return { condition, warning: ["if-ignored", message] };
  }
  const meant = toolMeant(text, row, aliases);
  if (meant === undefined) return { condition };
  const tool = showValue(meant);
  const message = `${shown} never holds for ${tool}: a tool is named in full, and case counts. Did you mean ${tool}?`;
  return { condition, warning: ["matcher-never", message] };
}

/** The tool that a condition means, when it names one that no host sends: `bash(ls)`, `mcp__server`. */
function toolMeant(text: string, row: EventRow, aliases: ToolAliases): string | undefined {
  const [name = ""] = text.trim().split("(");
  return Object.hasOwn(aliases, name) ? undefined : intendedName(row, name)?.replace(".*", "*");
}

function refOf(hook: Hook, group: HookGroup, { file, kind }: Layer, { name: event }: EventRow, at: string): HookRef {
  const { matcher } = group;
  const id = `${at}:${sha256(JSON.stringify([event, matcher ?? "", hook])).slice(0, 8)}`;
  return {
    id,
    event,
    type: hook.type,
    source: kind,
    ...defined({ file, matcher }),
    name: hookName(hook, event, matcher),
  };
}

/** How users recognize it. */
function hookName(hook: Hook, event: string, matcher = ""): string {
  switch (hook.type) {
    case "command":
      return [hook.command, ...(hook.args ?? [])].join(" ");
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

export function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** Models and logs receive the name of a hook as a part of reasons. */
export function withoutPassword(url: string): string {
  if (!url.includes("@")) return url;
  if (!URL.canParse(url)) return url.replace(/:.*@/s, "://…@");
  const { protocol, host, pathname, search, username, password } = new URL(url);
  return username === "" && password === "" ? url : `${protocol}//…@${host}${pathname}${search}`;
}
