import { z } from "zod";
import {
  type AnswerName,
  commonFields,
  type EventName,
  type EventRow,
  eventOutputFields,
  eventRow,
  type HookOutput,
  hookOutputFields,
  type Payload,
} from "../../src/protocol/internal.ts";
import { objectOf, typed, validatorOf } from "./field-validators.ts";

/** What a hook of the event reads on stdin. The rows are typed by the payloads, so the validator's type is theirs. */
export function inputSchema<Name extends EventName>(name: Name): z.ZodType<Payload<Name>>;
export function inputSchema(name: EventRow): z.ZodType<Readonly<Record<string, unknown>>>;
export function inputSchema(event: EventName | EventRow): z.ZodType {
  const row = typeof event === "string" ? eventRow(event) : event;
  return objectOf({ ...commonFields, ...row.fields, hook_event_name: { is: "text", of: [row.name] } }).meta({
    title: `${row.name} input`,
    description: `What a ${row.name} hook reads: ${row.fires}.`,
  });
}

/** What a hook of the event may print: the universal answers and those its row honors. Further keys are accepted. */
export function outputSchema(event: EventName | EventRow): z.ZodType<HookOutput> {
  const row = typeof event === "string" ? eventRow(event) : event;
  const top: Record<string, z.ZodType> = {};
  for (const [name, field] of Object.entries(hookOutputFields)) top[name] = validatorOf(field);
  top["hookSpecificOutput"] = z.optional(specificOutput(row));
  const schema = z.looseObject(top).meta({
    title: `${row.name} output`,
    description: `What a ${row.name} hook may print on stdout, answer over http or return.`,
  });
  return typed(schema);
}

function specificOutput(row: EventRow): z.ZodType {
  const answers: Record<string, z.ZodType> = { hookEventName: z.literal(row.name) };
  for (const name of row.answers) answers[name] = answerValidator(name, row);
  if (row.answers.includes("permissionDecision")) {
    answers["permissionDecisionReason"] = validatorOf(eventOutputFields.permissionDecisionReason);
  }
  return z.looseObject(answers);
}

function answerValidator(name: AnswerName, row: EventRow): z.ZodType {
  if (name === "decision") return z.optional(permissionAnswer);
  if (name !== "permissionDecision") return validatorOf(eventOutputFields[name]);
  // A word the event cannot act on is reported when a hook says it; the schema does not offer it.
  const words = eventOutputFields[name].of.filter((word) => row.decisions.includes(word));
  return z.optional(z.enum(words));
}

const permissionAnswer = z.discriminatedUnion("behavior", [
  z.looseObject({
    behavior: z.literal("allow"),
    updatedInput: z.optional(z.record(z.string(), z.unknown())),
    updatedPermissions: z.optional(z.array(z.unknown())),
  }),
  z.looseObject({
    behavior: z.literal("deny"),
    message: z.optional(z.string()),
    interrupt: z.optional(z.boolean()),
  }),
]);
