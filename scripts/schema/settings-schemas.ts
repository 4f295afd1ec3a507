import { z } from "zod";
import {
  eventNames,
  type FileHook,
  groupFields,
  type HookGroup,
  hookFields,
  type Settings,
  settingsFields,
} from "../../src/protocol/internal.ts";
import { objectOf, typed, validatorOf } from "./field-validators.ts";

/** One hook entry of any type that a file can contain. */
export const hookSchema: z.ZodType<FileHook> = typed(
  z
    .discriminatedUnion("type", [
      hookOf("command"),
      hookOf("http"),
      hookOf("prompt"),
      hookOf("agent"),
      hookOf("mcp_tool"),
    ])
    .meta({ id: "hook", description: "One hook: a command, a request, a prompt, an agent or an MCP tool." }),
);

/** One entry of an event's list. */
export const groupSchema: z.ZodType<HookGroup> = typed(
  objectOf(groupFields)
    .extend({ hooks: z.array(hookSchema) })
    .meta({ id: "group", description: "Hooks with the matcher they share." }),
);

/** A settings file as far as Hookline reads it. The engine is more patient: it drops a bad entry and keeps the rest. */
export const settingsSchema: z.ZodType<Settings> = typed(
  objectOf(settingsFields)
    .extend({ hooks: z.optional(hooksByEvent()) })
    .meta({
      title: "Settings",
      description: "The keys of a settings file that Hookline reads; others are ignored.",
    }),
);

function hooksByEvent(): z.ZodType {
  return z.looseObject(Object.fromEntries(eventNames.map((name) => [name, z.optional(z.array(groupSchema))])));
}

function hookOf(type: FileHook["type"]): z.ZodObject {
  const { type: _, ...fields } = hookFields[type];
  return z.looseObject({
    type: z.literal(type),
    ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, validatorOf(field)])),
  });
}
