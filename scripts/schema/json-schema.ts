import { z } from "zod";
import { eventNames } from "../../src/protocol/internal.ts";
import { inputSchema, outputSchema } from "./event-schemas.ts";
import { scriptSchema } from "./scripted-model.ts";
import { sessionsSchemas } from "./sessions-output.ts";
import { settingsSchema } from "./settings-schemas.ts";
import { usageSchemas } from "./usage-output.ts";

/**
 * The JSON Schema files of the package, name to text: two per event, one for settings, one for scripted models, and one for
 * each report on usage and each command on sessions.
 */
export function schemaFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const name of eventNames) {
    files.set(`${name}.input.json`, printed(`${name}.input.json`, inputSchema(name)));
    files.set(`${name}.output.json`, printed(`${name}.output.json`, outputSchema(name)));
  }
  files.set("script.json", printed("script.json", scriptSchema));
  for (const [folder, schemas] of Object.entries({ usage: usageSchemas, sessions: sessionsSchemas }))
    for (const [name, schema] of Object.entries(schemas))
      files.set(`${folder}/${name}.json`, printed(`${folder}/${name}.json`, schema));
  return files.set("settings.json", printed("settings.json", settingsSchema));
}

function printed(file: string, schema: z.ZodType): string {
  const { $schema, title, description, ...rest } = z.toJSONSchema(schema, { io: "input" });
  const $id = `https://unpkg.com/hookline/schema/${file}`;
  return `${JSON.stringify({ $schema, $id, title, description, ...rest }, null, 2)}\n`;
}
