import type { EventInputs, EventName, Payload } from "../../protocol/internal.ts";
import { eventRule, type ToolEventName } from "../answer/event-rules.ts";
import type { ToolInputs, ToolResponses } from "./tool-types.ts";

/** The payload of an event as the host sends it. */
export type WirePayload = Readonly<Record<string, unknown>>;

/** The payload with camelCase names. `input` and `response` are the tool's own data and keep its keys. */
export type EventOf<Name extends EventName> = {
  readonly [Key in keyof Payload<Name> as FieldName<Key>]: Payload<Name>[Key];
} & EventBase<Name>;

interface EventBase<Name extends string> {
  /** The event. */
  readonly name: Name;
  /** The payload as the host sent it. */
  readonly raw: WirePayload;
}

type FieldName<Key> = Key extends "hook_event_name"
  ? never
  : Key extends keyof typeof ownNames
    ? (typeof ownNames)[Key]
    : Key extends string
      ? Camel<Key>
      : never;
type Camel<Text extends string> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text;

/** Fields whose name is not the camelCase form of the original. */
const ownNames = { tool_input: "input", tool_response: "response", name: "worktreeName" } as const;

/** The name of a tool whose input is declared in `ToolInputs`. */
export type ToolName = keyof ToolInputs & string;

/** One call of a known tool; a union of tools narrows on `toolName`. */
export type ToolEvent<Tool extends ToolName, Name extends ToolEventName = "PreToolUse"> = Tool extends ToolName
  ? Omit<EventOf<Name>, "toolName" | "input" | "response"> & {
      readonly toolName: CalledAs<Tool>;
      readonly input: ToolInputs[Tool];
    } & (EventInputs[Name] extends { readonly tool_response: unknown }
        ? { readonly response: ResponseOf<Tool> }
        : unknown)
  : never;

/** One tool has two names; hosts may use the one that the registration does not. */
type CalledAs<Tool extends ToolName> = Tool extends AgentTool ? AgentTool : Tool;
type AgentTool = "Agent" | "Task";

/** Unknown for a tool without a declared response. */
export type ResponseOf<Tool> = Tool extends keyof ToolResponses ? ToolResponses[Tool] : unknown;

/** A call of any tool; `isTool` narrows it. */
export type OpenToolEvent<Name extends ToolEventName> = EventOf<Name>;

/** An event this package does not know. */
export interface GenericEvent extends EventBase<string> {
  /** `session_id` of the payload. */
  readonly sessionId?: string;
  /** `cwd` of the payload. */
  readonly cwd?: string;
  readonly [field: string]: unknown;
}

/** The fields that every event has, for code that handles all events. */
export type HookEvent = GenericEvent;

/** Narrows the event of any tool to one tool. Comparing `toolName` does not, because its type is `string`. */
export function isTool<Tool extends ToolName, Name extends ToolEventName>(
  event: OpenToolEvent<Name>,
  tool: Tool,
): event is OpenToolEvent<Name> & ToolEvent<Tool, Name> {
  return sameTool(event.toolName, tool);
}

export function sameTool(one: string, other: string): boolean {
  return toolOf(one) === toolOf(other);
}

/** `Task` is the older name of `Agent`; hosts treat them as one tool. */
export function toolOf(name: string): string {
  return name === "Task" ? "Agent" : name;
}

/** Contract: never throws and loses nothing; an absent field stays absent. Freezes the payload. */
export function readEvent(payload: WirePayload): HookEvent {
  deepFreeze(payload);
  const event: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(payload)) event[fieldName(key)] = value;
  // File names are derived from these two fields, so values of other types are left out. They stay in `raw`.
  if (typeof event["sessionId"] === "number") event["sessionId"] = String(event["sessionId"]);
  else if (typeof event["sessionId"] !== "string") delete event["sessionId"];
  if (typeof event["cwd"] !== "string" || event["cwd"] === "") delete event["cwd"];
  event["name"] = String(payload["hook_event_name"]);
  event["raw"] = payload;
  return Object.freeze(event) as HookEvent;
}

/** Session and name of an event, as observers and the log get them. */
export function eventLabels({ sessionId, name }: HookEvent): { readonly session?: string; readonly event: string } {
  return { ...(sessionId ? { session: sessionId } : {}), event: name };
}

/** The same event with another input or response. `raw` does not change. */
export function withField(event: HookEvent, field: "input" | "response", value: unknown): HookEvent {
  return Object.freeze({ ...event, [field]: deepFreeze(value) }) as HookEvent;
}

/** The value that `what` of a registration is compared with. */
export function matchedValue(event: HookEvent): string {
  const rule = eventRule(event.name);
  const value = rule.matches === undefined ? undefined : event.raw[rule.matches];
  if (typeof value !== "string") return "";
  return rule.part === "basename" ? value.slice(Math.max(value.lastIndexOf("/"), value.lastIndexOf("\\")) + 1) : value;
}

/** Contract: never returns `__proto__`, because no `_` stays before a letter. */
function fieldName(key: string): string {
  if (key === "hook_event_name") return "name";
  if (Object.hasOwn(ownNames, key)) return ownNames[key as keyof typeof ownNames];
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Not recursive: payloads come from outside and may be nested as deep as JSON allows. */
export function deepFreeze<Value>(value: Value): Value {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== "object" || next === null || Object.isFrozen(next)) continue;
    Object.freeze(next);
    for (const inner of Object.values(next)) pending.push(inner);
  }
  return value;
}
