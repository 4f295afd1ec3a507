/** Writes the data of the package to dist/: the conformance cases, one file for each topic, and all JSON Schemas in one file. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { root } from "./entry-points.mjs";
import { withCommonProperties, withSharedParts } from "./share-schema-parts.mjs";

mkdirSync(join(root, "dist", "conformance"), { recursive: true });
for (const topic of foldersIn(join(root, "conformance")))
  write(join("conformance", `${topic}.json`), jsonFilesIn(join(root, "conformance", topic)));
write("schema.json", joinedSchemas());

/** Every schema under `$defs`, by its path: `PreToolUse.input`, `sessions.ls`. The root describes a settings file. */
function joinedSchemas() {
  const schemas = Object.entries(jsonFilesIn(join(root, "schema"))).map(([path, schema]) => {
    const name = path.replaceAll("/", ".");
    return [name, withReferencesBelow(schema, `#/$defs/${name}`)];
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://unpkg.com/hookline/dist/schema.json",
    $ref: "#/$defs/settings",
    $defs: withSharedParts(
      ["input", "output"].reduce((all, kind) => withCommonProperties(all, kind), Object.fromEntries(schemas)),
    ),
  };
}

/** A schema's references start at its own root, which has moved to `place`. */
function withReferencesBelow({ $schema: _schema, $id: _id, ...schema }, place) {
  const moved = (key, value) => (key === "$ref" && typeof value === "string" ? value.replace(/^#/, place) : value);
  return JSON.parse(JSON.stringify(schema, moved));
}

/** What the JSON files below a folder hold, by their path without its ending. */
function jsonFilesIn(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".json"));
  const entries = files
    .sort()
    .map((file) => [
      file.slice(0, -".json".length).split(sep).join("/"),
      JSON.parse(readFileSync(join(folder, file), "utf8")),
    ]);
  return Object.fromEntries(entries);
}

function foldersIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

function write(file, data) {
  writeFileSync(join(root, "dist", file), `${JSON.stringify(data)}\n`);
}
