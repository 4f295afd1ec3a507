import { z } from "zod";
import type { Field, Fields } from "../../src/protocol/internal.ts";

/** An object with these fields; further keys are accepted, because newer versions of Claude Code send more. */
export function objectOf(fields: Fields): z.ZodObject {
  return z.looseObject(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, validatorOf(field)])));
}

/**
 * The validator under the type of its data. The types of the protocol are read from the data (`ValuesOf`), so this is the only place
 * that has to take the compiler's word for it.
 */
export function typed<Value>(schema: z.ZodType): z.ZodType<Value> {
  return schema as z.ZodType<Value>;
}

/** A field of the protocol as a validator. */
export function validatorOf(field: Field): z.ZodType {
  const shape = shapeOf(field);
  const nullable = field.nullable ? z.nullable(shape) : shape;
  return field.optional ? z.optional(nullable) : nullable;
}

function shapeOf(field: Field): z.ZodType {
  switch (field.is) {
    case "text":
      if (field.of === undefined) return z.string();
      return field.open ? z.string().meta({ examples: [...field.of] }) : z.enum(field.of);
    case "number":
      return field.above === undefined ? z.number() : z.number().gt(field.above);
    case "flag":
      return z.boolean();
    case "object":
      if (field.fields !== undefined) return objectOf(field.fields);
      return z.record(z.string(), field.values ? validatorOf(field.values) : z.unknown());
    case "list":
      return z.array(validatorOf(field.of));
    case "either":
      return z.union(field.of.map(validatorOf));
    case "anything":
      return z.unknown();
  }
}
