export { inputSchema, outputSchema } from "./events.ts";
export { schemaFiles } from "./print.ts";
export { scriptSchema } from "./script.ts";
export { sessionsSchemas } from "./sessions.ts";
export { groupSchema, hookSchema, settingsSchema } from "./settings.ts";
export { usageSchemas } from "./usage.ts";
