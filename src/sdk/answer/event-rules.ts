import {
  type AppMethod,
  type Catalog,
  catalog,
  type EventInputs,
  type EventName,
  type EventRow,
} from "../../protocol/internal.ts";
import type { AnswerKind } from "./answer.ts";

/** The part of an event's row that apps need. */
export interface EventRule {
  readonly method: string;
  /** The field that `what` of a registration is compared with. Absent: every handler runs. */
  readonly matches?: string;
  readonly part?: "basename";
  /** The event is about one tool call: `input` and `response` are data of the tool. */
  readonly tool?: true;
  /** The kind of the strictest answer. Absent: the event cannot be refused. */
  readonly refusal?: Refusal;
  /** A failed handler refuses only while `stop_hook_active` is false. */
  readonly refusesOncePerTurn?: true;
  readonly endsSession?: true;
  /** The user's prompt can be hidden. */
  readonly hidesPrompt?: true;
  readonly form: Form;
  readonly legal: readonly AnswerKind[];
  /** The event needs a command entry in settings: its answer is an exit code or text, or no http hook is called for it. */
  readonly command?: true;
  readonly deadlineMs?: number;
}

/** The effect of a failed handler: the agent continues, or the operation is blocked. */
export type FailureMode = "continue" | "block";

type Refusal = "deny" | "block" | "denyPermission";

/**
 * The wire format of an answer. `permission`: `permissionDecision`. `specific`: `hookSpecificOutput` and, to refuse, `decision: "block"`.
 * `exit`: exit 2 with the reason on stderr, context as plain text. `path`: plain text; exit 1 to refuse. `elicit`: an action.
 * `plain`: none.
 */
type Form = "permission" | "specific" | "exit" | "path" | "elicit" | "plain";

/** The method of an app that registers handlers for an event, such as `preTool` for `PreToolUse`. */
export type MethodOf<Name extends EventName> = Catalog[Name]["app"]["method"];

/** The kinds of answers that are legal for an event. A message for the user and raw fields are legal everywhere. */
export type LegalKind<Name extends EventName> = Catalog[Name]["app"]["answers"][number] | "systemMessage" | "raw";

/** The events about one tool call. */
export type ToolEventName = {
  [Name in EventName]: EventInputs[Name] extends { readonly tool_name: string } ? Name : never;
}[EventName];

/** The rules as JSON. The bundler inserts them, so that a hook process does not need the whole catalog. */
declare const HOOKLINE_RULES: string | undefined;

/** One rule per event of the catalog. */
export const eventRules: Readonly<Record<EventName, EventRule>> =
  typeof HOOKLINE_RULES === "string" ? JSON.parse(HOOKLINE_RULES) : rulesOf(catalog);

const unknownEvent: EventRule = { method: "on", form: "plain", legal: [] };

/** Contract: an unknown event has a rule too; only raw fields and messages are legal for it. */
export function eventRule(event: string): EventRule {
  return isKnownEvent(event) ? eventRules[event as EventName] : unknownEvent;
}

export function isKnownEvent(event: string): boolean {
  return Object.hasOwn(eventRules, event);
}

export function isLegal(rule: EventRule, kind: AnswerKind): boolean {
  return kind === "systemMessage" || kind === "raw" || rule.legal.includes(kind);
}

const defaultDeadlineMs = 30_000;

/** Whether settings must name a command for this event: its answer is an exit code or text, or no http hook is called for it. */
export function needsCommand(event: string): boolean {
  return eventRule(event).command === true;
}

/** How long the handlers of an event may take together by default. */
export function defaultDeadline(event: string): number {
  return eventRule(event).deadlineMs ?? defaultDeadlineMs;
}

type Row = EventRow & { readonly app: AppMethod };

function rulesOf(rows: Catalog): Readonly<Record<EventName, EventRule>> {
  const rules = Object.entries<Row>(rows).map(([name, row]) => [name, ruleFor(row)]);
  return Object.fromEntries(rules) as Record<EventName, EventRule>;
}

function ruleFor(row: Row): EventRule {
  const { matchesOn, answers, special, types, app } = row;
  const form = formOf(row);
  const refusal = app.answers.find(refuses);
  return {
    method: app.method,
    ...(matchesOn ? { matches: matchesOn.field } : {}),
    ...(matchesOn?.part ? { part: matchesOn.part } : {}),
    ...(special.onTool ? { tool: true } : {}),
    ...(refusal ? { refusal } : {}),
    ...(special.endsTurn ? { refusesOncePerTurn: true } : {}),
    ...(special.endsSession ? { endsSession: true } : {}),
    ...(answers.includes("suppressOriginalPrompt") ? { hidesPrompt: true } : {}),
    form,
    legal: app.answers,
    ...(form === "exit" || form === "path" || !types.includes("http") ? { command: true } : {}),
    ...(app.deadlineMs === undefined ? {} : { deadlineMs: app.deadlineMs }),
  };
}

function formOf({ answers, decisions, special }: EventRow): Form {
  if (special.answersPath) return "path";
  if (answers.includes("permissionDecision")) return "permission";
  if (answers.includes("action")) return "elicit";
  if (answers.length > 0) return "specific";
  return decisions.includes("deny") ? "exit" : "plain";
}

function refuses(kind: AnswerKind): kind is Refusal {
  return kind === "deny" || kind === "block" || kind === "denyPermission";
}
