import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { endOfLifeNotice, knownModels } from "../src/models/anthropic/known-models.ts";
import { catalog, commonFields, type Field } from "../src/protocol/internal.ts";

const root = join(import.meta.dirname, "..");

interface AgainstCatalog {
  eventDrift(source: string, known: object): string[];
  settingsDrift(source: string, known: readonly string[]): string[];
}

const { eventDrift, settingsDrift } = (await import(join(root, "scripts/drift/against-catalog.mjs"))) as AgainstCatalog;

/** Declarations as Claude Code's SDK prints them, for the events of the catalog. */
function declarations(change: (name: string, fields: string[]) => string[] = (_, fields) => fields): string {
  const line = (name: string) =>
    `    /** A word; with { brackets }. */\n    ${name}?: { deep: string; list: Array<{ a: 1 }> };\n`;
  const common = Object.entries<Field>(commonFields).filter(
    ([name, { newer }]) => name !== "hook_event_name" && !newer,
  );
  const texts = [`export declare type BaseHookInput = {\n${common.map(([name]) => line(name)).join("")}};`];
  for (const [name, row] of Object.entries(catalog)) {
    const fields = change(name, Object.keys(row.fields));
    const own = `    hook_event_name: '${name}';\n${fields.map(line).join("")}`;
    texts.push(`export declare type ${name}HookInput = (BaseHookInput & {\n${own}}) & {};`);
    const answers = row.answers.map(line).join("");
    texts.push(`export declare type ${name}HookSpecificOutput = {\n    hookEventName: '${name}';\n${answers}};`);
  }
  return texts.join("\n\n");
}

test("declarations that equal the catalog show no drift", () => {
  expect(eventDrift(declarations(), { catalog, commonFields })).toEqual([]);
});

test("a new field, a removed field and a new event are named", () => {
  const source = declarations((name, fields) =>
    name === "PreToolUse" ? ["brand_new", ...fields.filter((field) => field !== "tool_use_id")] : fields,
  );
  const more = `${source}\nexport declare type PreLunchHookInput = BaseHookInput & {\n    menu: string;\n};\n`;
  expect(eventDrift(more, { catalog, commonFields })).toEqual([
    "new event PreLunch",
    "PreToolUse payload: new field brand_new",
    "PreToolUse payload: tool_use_id is not declared",
  ]);
});

test("settings keys are compared, those of permissions too", () => {
  const source =
    "export declare interface Settings {\n    env?: Record<string, string>;\n    permissions?: {\n        allow?: string[];\n        deny?: (string | { a: 1; b: 2 })[];\n    };\n}\n";
  expect(settingsDrift(source, ["env", "model", "permissions", "permissions.allow"])).toEqual([
    "new setting permissions.deny",
    "setting model was removed",
  ]);
});

test("models near their end of life are named, by the day that is handed in", async () => {
  const { modelDrift } = (await import(join(root, "scripts/drift/models.mjs"))) as {
    modelDrift(known: object, nowMs: number): string[];
  };
  const known = { knownModels, endOfLifeNotice };
  const named = (day: string) => modelDrift(known, Date.parse(day)).filter((line) => line.includes("end of life"));
  expect(named("2026-09-01T00:00:00Z")).toEqual([]);
  expect(named("2026-11-16T00:00:00Z")).toEqual([expect.stringContaining("claude-sonnet-4-5")]);
});

test("the docs name the releases that were proven", () => {
  const { newest, oldest } = JSON.parse(readFileSync(join(root, "test/interop/clients.json"), "utf8"));
  const page = readFileSync(join(root, "docs/departures.md"), "utf8");
  expect([page.includes(newest), page.includes(oldest)]).toEqual([true, true]);
});
