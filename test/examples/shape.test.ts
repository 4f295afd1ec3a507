import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { createApp } from "../../src/sdk/index.ts";
import { appRuntime } from "../../src/sdk/internal.ts";

const examples = resolve(import.meta.dirname, "../../examples");
const recipes = readdirSync(join(examples, "hooks")).map((file) => ({
  file,
  name: file.replace(/\.ts$/, ""),
  text: readFileSync(join(examples, "hooks", file), "utf8"),
}));

test("the examples contain all recipes", () => {
  expect(recipes.map(({ name }) => name).sort()).toEqual(
    [
      ...["block-destructive", "protect-paths", "require-tests", "redact-secrets", "format-on-write", "notify"],
      ...["budget-guard", "commit-trailer", "kill-switch", "steer", "evaluator-gate", "heartbeat", "commit-on-stop"],
      ...["clean-state", "long-running"],
    ].sort(),
  );
});

test("every helper continues when it fails, whatever the app says", () => {
  const helpers = ["format-on-write", "commit-trailer", "commit-on-stop", "notify", "steer", "heartbeat"];
  const others = recipes.filter(({ name, text }) => helpers.includes(name) && !text.includes(`onFailure: "continue"`));
  expect(others.map(({ name }) => name)).toEqual([]);
});

for (const { file, name, text } of recipes) {
  const factory = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

  test(`${name} has a header of two lines, one screenful, one factory with options`, async () => {
    const lines = text.trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(60);
    expect(lines[0]).toMatch(/^\/\/ .+\.$/);
    expect(lines[1]).toContain(`// app.include(${factory}(`);
    expect(lines[2]).toMatch(/^import /);
    expect(text.match(/^export (?:function|const) \w+/gm)).toHaveLength(1);
    expect(text).toMatch(/^export interface \w+Options \{/m);
    const made = ((await import(join(examples, "hooks", file))) as Record<string, (options?: object) => never>)[
      factory
    ];
    const app = createApp();
    app.include(made?.() as never);
    expect(appRuntime(app)?.describe().length).toBeGreaterThan(0);
  });

  test(`${name} refuses an option that it does not have, and takes each of its own`, async () => {
    const made = ((await import(join(examples, "hooks", file))) as Record<string, (options?: object) => unknown>)[
      factory
    ];
    const message = expect.stringContaining(`has no option "misspelled".`);
    expect(() => made?.({ misspelled: 1 })).toThrow(expect.objectContaining({ code: "sdk/bad-option", message }));
    const options = /^export interface \w+Options \{\n([\s\S]*?)^\}/m.exec(text)?.[1] ?? "";
    const own = [...options.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, option = ""]) => [option, undefined]);
    expect(own.length).toBeGreaterThan(0);
    expect(() => made?.(Object.fromEntries(own))).not.toThrow();
  });

  test(`${name} refuses a value of the wrong type for each of its options`, async () => {
    const made = ((await import(join(examples, "hooks", file))) as Record<string, (options?: object) => unknown>)[
      factory
    ];
    const options = /^export interface \w+Options \{\n([\s\S]*?)^\}/m.exec(text)?.[1] ?? "";
    for (const [, option = ""] of options.matchAll(/^ {2}readonly (\w+)\??:/gm)) {
      const message = expect.stringMatching(`^The option "${option}" of (strategy )?${name} is .+; it must be `);
      const refusal = expect.objectContaining({ code: "sdk/bad-option", message });
      expect(() => made?.({ [option]: Symbol("wrong") })).toThrow(refusal);
      expect(() => made?.({ [option]: null })).toThrow(refusal);
    }
  });
}

test("every recipe has a test of its own, and a line in the README of examples", () => {
  const tests = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(".test.ts") && file !== "shape.test.ts")
    .map((file) => readFileSync(join(import.meta.dirname, file), "utf8"))
    .join("\n");
  const readme = readFileSync(join(examples, "README.md"), "utf8");
  const untested = recipes.filter(({ file }) => !tests.includes(`examples/hooks/${file}"`));
  const unlisted = recipes.filter(({ name }) => !readme.includes(`- [${name}](hooks/${name}.ts): `));
  expect({ untested, unlisted }).toEqual({ untested: [], unlisted: [] });
  for (const [, path = ""] of readme.matchAll(/\]\(((?:hooks|hosts|settings)\/[^)]+)\)/g))
    readFileSync(join(examples, path));
});
