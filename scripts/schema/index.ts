export { inputSchema, outputSchema } from "./event-schemas.ts";
export { schemaFiles } from "./json-schema.ts";
export { scriptSchema } from "./scripted-model.ts";
export { sessionsSchemas } from "./sessions-output.ts";
export { groupSchema, hookSchema, settingsSchema } from "./settings-schemas.ts";
export { usageSchemas } from "./usage-output.ts";
