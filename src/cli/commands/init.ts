import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { replaceFile, unless } from "../../files/index.ts";
import { nearest, Problem } from "../../protocol/index.ts";
import type { Command } from "../command.ts";
import { jsonText } from "../print/json.ts";

export const command: Command = {
  usage: "[--js] [--with RECIPE,…] [--force] [--json]",
  about: `Writes .claude/hooks.ts and .claude/hooks.test.ts, both ready for hookline test.

A file that is already there is never replaced without --force. --with copies recipes beside the hooks file and prints the lines that
include them; it does not edit your code.`,
  options: {
    js: { type: "boolean", about: "write .mjs files instead of TypeScript" },
    with: { type: "string", value: "RECIPE,…", about: "recipes to copy, such as redact-secrets" },
    force: { type: "boolean", about: "replace files that are already there" },
    json: { type: "boolean", about: "print one JSON object: written, kept, add (lines for your hooks file)" },
  },
  examples: ["hookline init", "hookline init --with redact-secrets,require-tests"],
  async run(call, io) {
    if (call.words.length > 0)
      throw new Problem("cli/usage", "hookline init takes no words. See hookline init --help.");
    const ending = call.flag("js") ? "mjs" : "ts";
    const names = (call.text("with") ?? "").split(",").filter((name) => name !== "");
    const recipes = await Promise.all(names.map(readRecipe));
    if (recipes.length > 0 && ending !== "ts") {
      throw new Problem("cli/usage", "Recipes are TypeScript; call hookline init --with without --js.");
    }
    const files = [
      { name: `hooks.${ending}`, text: hooksFile },
      { name: `hooks.test.${ending}`, text: testFile(ending) },
      ...recipes.map(({ name, text }) => ({ name: `${name}.ts`, text })),
    ];
    const folder = join(io.cwd, ".claude");
    await makeFolder(folder);
    const done: Done = { written: [], kept: [], add: includeLines(recipes) };
    for (const { name, text } of files) {
      const path = join(folder, name);
      done[(await write(path, text, call.flag("force"))) ? "written" : "kept"].push(path);
    }
    await io.out(call.flag("json") ? jsonText(done) : initText(done));
    return 0;
  },
};

interface Done {
  readonly written: string[];
  readonly kept: string[];
  readonly add: readonly string[];
}

function initText({ written, kept, add }: Done): string {
  const lines = [
    ...written.map((path) => `wrote ${path}`),
    ...kept.map((path) => `kept  ${path} (already there; --force replaces it)`),
  ];
  if (add.length > 0) lines.push("", "Add to hooks.ts:", ...add.map((line) => `  ${line}`));
  return text(...lines, "", "Next: hookline test, hookline replay (your past sessions), hookline install");
}

function includeLines(recipes: readonly Recipe[]): readonly string[] {
  const imports = recipes.map(({ name, factory }) => `import { ${factory} } from "./${name}.ts";`);
  const includes = recipes.map(({ factory }) => `app.include(${factory}());`);
  return [...imports, ...includes];
}

const hooksFile = text(
  "/** What this project's agent may do. Try it: hookline test */",
  'import { ask, createApp } from "hookline/sdk";',
  "",
  "const app = createApp();",
  'app.preTool("Bash", { name: "ask-before-delete", recheck: true }, ({ input }) =>',
  '  /\\brm\\b/.test(input.command) ? ask("This deletes files.") : undefined,',
  ");",
  "export default app;",
);

function testFile(ending: string): string {
  return text(
    'import test from "node:test";',
    'import { testClient } from "hookline/testing";',
    `import app from "./hooks.${ending}";`,
    "",
    "const client = testClient(app);",
    "",
    'test("deleting is asked about", async () => {',
    '  (await client.preTool("Bash", { command: "rm -rf build" })).expectAsked("deletes");',
    "});",
    "",
    'test("everything else is left alone", async () => {',
    '  (await client.preTool("Bash", { command: "ls" })).expectNoOpinion();',
    "});",
  );
}

function text(...lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}

async function makeFolder(folder: string): Promise<void> {
  const made = await unless(
    ["EEXIST"],
    mkdir(folder, { recursive: true }).then(() => true),
  );
  if (made === undefined)
    throw new Problem("cli/usage", `${folder} should be a folder. Move away what is there and try again.`);
}

/**
 * Contract: a file that is already there stays unless `force`, and a link is not followed: it may have come with the project. Whether it
 * was written.
 */
async function write(path: string, content: string, force: boolean): Promise<boolean> {
  if (force) return (await replaceFile(path, content, { mode: 0o644 })) === "replaced";
  const written = await unless(
    ["EEXIST"],
    writeFile(path, content, { flag: "wx" }).then(() => true),
  );
  return written === true;
}

const recipesFolder = fileURLToPath(new URL("../../../examples/hooks/", import.meta.url));

interface Recipe {
  readonly name: string;
  readonly factory: string;
  readonly text: string;
}

async function readRecipe(name: string): Promise<Recipe> {
  const known = (await readdir(recipesFolder)).filter((file) => file.endsWith(".ts")).map((file) => file.slice(0, -3));
  if (!known.includes(name)) {
    const near = nearest(name, known);
    const hint = near === undefined ? `There are ${known.join(", ")}.` : `Did you mean "${near}"?`;
    throw new Problem("cli/usage", `"${name}" is no recipe. ${hint}`, { about: { name } });
  }
  const text = await readFile(join(recipesFolder, `${name}.ts`), "utf8");
  return { name, factory: /^export (?:function|const) (\w+)/m.exec(text)?.[1] ?? name, text };
}
