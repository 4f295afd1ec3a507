import { createHash } from "node:crypto";
import {
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
import { type ConfiguredHook, honorsOnce, type Layer } from "./layer.ts";
import { nameOf } from "./read-layer.ts";

/** Where a group stands. */
export interface GroupPlace {
  readonly layer: Layer;
  /** The layer's part of the ids. Default: its kind. */
  readonly label?: string;
  readonly row: EventRow;
  /** Its number in the event's list. */
  readonly group: number;
  /** Place of its first hook in configured order. */
  readonly order: number;
  readonly aliases?: ToolAliases;
  /** Needed where a hook has a condition. */
  readonly compileCondition?: CompileCondition;
  /** The failure policy when neither hook nor group has one. */
  readonly onFailure?: FailurePolicy;
}

/** The hooks of one group with everything that can be worked out before an event fires. */
export function configureGroup(group: HookGroup, place: GroupPlace): readonly ConfiguredHook[] {
  const { layer, row, aliases } = place;
  const at = `${nameOf(layer)}: hooks.${row.name}[${place.group}]`;
  const { matcher, warnings } = compileMatcher(group.matcher, row.matchesOn, {
    place: at,
    ...(aliases === undefined ? {} : { aliases }),
  });
  const never = warnings.length > 0 ? [] : matcherNeverWarnings(matcher, row, at);
  const key = `${place.label ?? layer.kind}:${row.name}:${place.group}`;
  return group.hooks.map((hook, index): ConfiguredHook => {
    const { condition, warning } = conditionOf(hook, place);
    const problems = [...(warning === undefined ? [] : [warning]), ...problemsOf(hook, group, row, layer.kind)];
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
      onFailure: statedOnFailure(hook) ?? statedOnFailure(group) ?? place.onFailure ?? "continue",
      problems: [
        ...warnings,
        ...never,
        ...problems.map(([code, message]): Warning => ({ code, message, place: hookAt })),
      ],
    };
  });
}

type ConfigureWarning = readonly [WarningCode, string];

/** Without an order among them: everything about a hook that can never work, or not as its author thinks. */
function problemsOf(hook: Hook, group: HookGroup, row: EventRow, kind: LayerKind): readonly ConfigureWarning[] {
  const told: ConfigureWarning[] = [];
  const wrong = inProcessFault(hook) ?? faultText(hook);
  if (wrong !== undefined) told.push(["hook-invalid", `A hook of ${row.name} cannot be used: ${wrong}.`]);
  if (!row.types.includes(hook.type)) {
    const taken = row.types.filter((type) => type !== "callback" && type !== "function").join(", ");
    told.push([
      "type-unsupported",
      `${row.name} does not take ${hook.type} hooks; it takes ${taken}. This one never runs.`,
    ]);
  }
  if (hook.once && !honorsOnce(kind)) {
    told.push(["once-ignored", `once counts in skills and session hooks only; this ${row.name} hook runs every time.`]);
  }
  if (row.onFailure === "open" && (statedOnFailure(hook) ?? statedOnFailure(group)) === "block") {
    told.push([
      "on-failure-ignored",
      `onFailure "block" has no effect on ${row.name}: a failed hook never stops anything there.`,
    ]);
  }
  const inBackground =
    hook.type === "command" ? (hook.asyncRewake ? "asyncRewake" : hook.async ? "async" : undefined) : undefined;
  if (
    inBackground !== undefined &&
    row.onFailure === "guard" &&
    (statedOnFailure(hook) ?? statedOnFailure(group)) === "block"
  ) {
    const when = inBackground === "async" ? "it is not awaited" : "it is not awaited where the host can be woken";
    told.push([
      "on-failure-ignored",
      `onFailure "block" has no effect on a hook with ${inBackground}: ${when}, so its failure denies nothing.`,
    ]);
  }
  if (hook.type === "command" && hook.args !== undefined && /\s/.test(hook.command) && !/[\\/]/.test(hook.command)) {
    told.push([
      "command-has-blanks",
      `With args, ${showValue(hook.command)} is the name of one program. Put its arguments into args.`,
    ]);
  }
  if (hook.timeout !== undefined && hook.timeout > mostSensibleSeconds) {
    told.push([
      "timeout-suspicious",
      `timeout is in seconds; ${hook.timeout} is ${Math.round(hook.timeout / 60)} minutes. Did you mean ${hook.timeout / 1000}?`,
    ]);
  }
  return told;
}

const mostSensibleSeconds = 3_600;

/** In-process hooks come from a program, whose types may have been ignored. */
function inProcessFault(hook: Hook): string | undefined {
  if (hook.type === "callback") return typeof hook.callback === "function" ? undefined : "callback is not a function";
  if (hook.type !== "function") return undefined;
  if (typeof hook.function !== "function") return "function is not a function";
  return typeof hook.errorMessage === "string" ? undefined : "errorMessage is missing";
}

function faultText(hook: Hook): string | undefined {
  if (hook.type === "callback" || hook.type === "function") return undefined;
  const fault = hookFault(hook);
  return fault && `${fault.field} ${fault.why}`.trim();
}

function conditionOf(
  { if: text }: Hook,
  { row, aliases = {}, compileCondition }: GroupPlace,
): { condition: ConfiguredHook["condition"]; warning?: ConfigureWarning } {
  if (text === undefined || text === "") return { condition: null };
  if (compileCondition === undefined) throw new TypeError("a hook with a condition needs its reader");
  const compiled = compileCondition(text, aliases);
  if ("invalid" in compiled) {
    return {
      condition: "never",
      warning: ["if-invalid", `if ${showValue(text)} never holds, so the hook never runs: ${compiled.invalid}`],
    };
  }
  if (row.special.onTool) {
    const meant = toolMeant(text, row, aliases);
    if (meant === undefined) return { condition: compiled };
    const message = `if ${showValue(text)} never holds for ${showValue(meant)}: a tool is named in full, and case counts. Did you mean ${showValue(meant)}?`;
    return { condition: compiled, warning: ["matcher-never", message] };
  }
  return {
    condition: compiled,
    warning: ["if-ignored", `${row.name} has no tool that if ${showValue(text)} could hold for: the hook never runs.`],
  };
}

/** The tool that a condition means, when it names one that no host sends: `bash(ls)`, `mcp__server`. */
function toolMeant(text: string, row: EventRow, aliases: ToolAliases): string | undefined {
  const [name = ""] = text.trim().split("(");
  return Object.hasOwn(aliases, name) ? undefined : intendedName(row, name)?.replace(".*", "*");
}

/** What a hook or its group says itself. */
export function statedOnFailure({
  onFailure,
  failClosed,
}: Pick<Hook, "onFailure" | "failClosed">): FailurePolicy | undefined {
  // Where the two contradict each other, the guard stays on.
  if (onFailure === "block" || failClosed === true) return "block";
  return onFailure ?? (failClosed === undefined ? undefined : "continue");
}

function refOf(hook: Hook, group: HookGroup, layer: Layer, row: EventRow, at: string): HookRef {
  const content = createHash("sha256").update(JSON.stringify([row.name, group.matcher ?? "", hook]));
  return {
    id: `${at}:${content.digest("hex").slice(0, 8)}`,
    event: row.name,
    type: hook.type,
    source: layer.kind,
    ...(layer.file === undefined ? {} : { file: layer.file }),
    ...(group.matcher === undefined ? {} : { matcher: group.matcher }),
    name: hookName(hook),
  };
}

/** How people recognise it. */
function hookName(hook: Hook): string {
  switch (hook.type) {
    case "command":
      return [hook.command, ...(hook.args ?? [])].join(" ");
    case "http":
      return withoutPassword(hook.url);
    case "mcp_tool":
      return `${hook.server}:${hook.tool}`;
    case "prompt":
    case "agent":
      return hook.prompt.length > 60 ? `${hook.prompt.slice(0, 59)}…` : hook.prompt;
    default:
      return hook.name ?? hook.type;
  }
}

/** A reason carries the name of a hook to the model and into logs. */
function withoutPassword(url: string): string {
  if (!url.includes("@")) return url;
  if (!URL.canParse(url)) return url.replace(/:.*@/s, "://…@");
  const { protocol, host, pathname, search, username, password } = new URL(url);
  return username === "" && password === "" ? url : `${protocol}//…@${host}${pathname}${search}`;
}
