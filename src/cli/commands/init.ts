import { existsSync, readdirSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { packageFile, replaceFile, succeedsUnless } from "../../files/internal.ts";
import { didYouMean, Problem } from "../../protocol/internal.ts";
import type { Command } from "../command-line/command.ts";
import { jsonText } from "../print/terminal.ts";

const recipesFolder = packageFile("examples/hooks/");

export const command: Command = {
  usage: "[--js] [--with RECIPE,…] [--force] [--json]",
  about: `Creates .claude/hooks.ts, .claude/hooks.test.ts and .claude/tsconfig.json, ready for hookline test.

Existing files are replaced only with --force. The test is for the hooks file that init creates; next to an existing one, no test is
written. --with copies recipes next to the hooks file. A hooks file that init creates includes them; an existing one is not changed, and
the lines to add are printed.

${`Recipes: ${recipeNames().join(", ")}.`.replace(/(.{100,130}) /g, "$1\n")}`,
  options: {
    js: { about: "write .mjs files instead of TypeScript; not with --with" },
    with: { value: "RECIPE,…", about: "recipes to copy and include; they are TypeScript, so not with --js" },
    force: { about: "replace existing files" },
    json: { about: "print one JSON object: written, kept, included (recipes), add (lines for your hooks file)" },
  },
  examples: ["hookline init", "hookline init --with redact-secrets,require-tests"],
  async run(call, io) {
    const ending = call.flag("js") ? "mjs" : "ts";
    if (call.flag("js") && call.text("with") !== undefined)
      throw new Problem("cli/usage", "Recipes are TypeScript: leave out --js.");
    const names = [...new Set((call.text("with") ?? "").split(","))].filter((name) => name !== "");
    const recipes = await Promise.all(names.map(readRecipe));
    const files = [
      { name: `hooks.${ending}`, text: hooksFile(recipes) },
      { name: `hooks.test.${ending}`, text: testFile(ending) },
      ...(ending === "ts" ? [{ name: "tsconfig.json", text: tsconfig }] : []),
      ...recipes.map(({ name, text }) => ({ name: `${name}.ts`, text })),
    ];
    const folder = join(io.cwd, ".claude");
    const [hooksPath, testPath] = [join(folder, `hooks.${ending}`), join(folder, `hooks.test.${ending}`)];
    await makeFolder(folder);
    const [written, kept]: [string[], string[]] = [[], []];
    for (const { name, text } of files) {
      const path = join(folder, name);
      // The test is about the guard in our hooks file; with another hooks file it would fail.
      if (path === testPath && kept.includes(hooksPath) && !existsSync(path)) continue;
      ((await write(path, text, call.flag("force"))) ? written : kept).push(path);
    }
    const isOurs = written.includes(hooksPath);
    const [included, add] = isOurs ? [names, []] : [[], [...importLines(recipes), ...includeLines(recipes)]];
    const result: InitResult = { written, kept, included, add };
    const skippedTest = [...written, ...kept].includes(testPath) ? undefined : testPath;
    await io.out(call.flag("json") ? jsonText(result) : initText(result, skippedTest));
    return 0;
  },
};

type InitResult = Readonly<Record<"written" | "kept" | "included" | "add", readonly string[]>>;

function initText({ written, kept, included, add }: InitResult, skippedTest?: string): string {
  const lines = [
    ...written.map((path) => `wrote ${path}`),
    ...kept.map((path) => `kept  ${path} (already exists; --force replaces it)`),
    ...(skippedTest === undefined ? [] : [`skipped ${skippedTest} (it would test the hooks file of init, not yours)`]),
  ];
  if (included.length > 0) lines.push("", `The hooks file includes ${included.join(", ")}.`);
  if (add.length > 0)
    lines.push("", "Your hooks file was not changed. Add these lines:", ...add.map((line) => `  ${line}`));
  return text(...lines, "", "Next: npx hookline test, npx hookline replay (your past sessions), npx hookline install");
}

function importLines(recipes: readonly Recipe[]): readonly string[] {
  return recipes.map(({ name, factory }) => `import { ${factory} } from "./${name}.ts";`);
}

/** Two strategies for the same hook are refused unless their order is declared as relevant. */
function includeLines(recipes: readonly Recipe[]): readonly string[] {
  return recipes.map(({ factory, hooks }, at) => {
    const conflicts = recipes.slice(0, at).some((before) => before.hooks.some((id) => hooks.includes(id)));
    return `app.include(${factory}()${conflicts ? ', { onConflict: "order" }' : ""});`;
  });
}

function hooksFile(recipes: readonly Recipe[]): string {
  return text(
    "/** What the agent of this project may do. Try it: npx hookline test */",
    'import { ask, createApp } from "hookline/sdk";',
    ...importLines(recipes),
    "",
    '// With onFailure: "block" a crash of a guard denies the call.',
    'const app = createApp({ onFailure: "block" });',
    ...includeLines(recipes),
    'app.preTool("Bash", { name: "ask-before-delete", recheck: true }, ({ input }) =>',
    '  /\\brm\\b/.test(input.command) ? ask("This deletes files.") : undefined,',
    ");",
    "export default app;",
  );
}

/** For `tsc -p .claude`, whatever the settings of the project are. */
const tsconfig = `${JSON.stringify(
  {
    compilerOptions: {
      module: "nodenext",
      target: "es2023",
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      types: ["node"],
    },
    include: ["*.ts"],
  },
  null,
  2,
)}\n`;

function testFile(ending: string): string {
  return text(
    'import test from "node:test";',
    'import { testClient } from "hookline/testing";',
    `import app from "./hooks.${ending}";`,
    "",
    "const client = testClient(app);",
    "",
    'test("rm needs confirmation", async () => {',
    '  (await client.preTool("Bash", { command: "rm notes.txt" })).expectAsked("deletes");',
    "});",
    "",
    'test("other commands are not affected", async () => {',
    '  (await client.preTool("Bash", { command: "ls" })).expectNoOpinion();',
    "});",
  );
}

function text(...lines: readonly string[]): string {
  return `${lines.join("\n")}\n`;
}

async function makeFolder(folder: string): Promise<void> {
  const isFolder = await succeedsUnless(["EEXIST"], mkdir(folder, { recursive: true, mode: 0o755 }));
  if (!isFolder) throw new Problem("cli/usage", `${folder} is not a directory. Move it away and try again.`);
}

/** Writes a file and returns whether it did. Replaces an existing one only with `force`, and never follows a link. */
async function write(path: string, content: string, force: boolean): Promise<boolean> {
  if (force) return (await replaceFile(path, content, { mode: 0o644 })) === "replaced";
  return succeedsUnless(["EEXIST"], writeFile(path, content, { flag: "wx", mode: 0o644 }));
}

interface Recipe {
  readonly name: string;
  readonly factory: string;
  /** The hooks that a strategy declares; empty for other recipes. */
  readonly hooks: readonly string[];
  readonly text: string;
}

function recipeNames(): readonly string[] {
  return readdirSync(recipesFolder)
    .filter((file) => file.endsWith(".ts"))
    .map((file) => file.slice(0, -3));
}

async function readRecipe(name: string): Promise<Recipe> {
  const known = recipeNames();
  if (!known.includes(name)) {
    const hint = didYouMean(name, known, `Recipes: ${known.join(", ")}.`);
    throw new Problem("cli/usage", `Unknown recipe "${name}".${hint}`);
  }
  const text = await readFile(join(recipesFolder, `${name}.ts`), "utf8");
  const declared = /^ {2}hooks: \[(.*)\],$/m.exec(text)?.[1] ?? "";
  const hooks = [...declared.matchAll(/"([^"]+)"/g)].map(([, id = ""]) => id);
  return { name, factory: /^export (?:function|const) (\w+)/m.exec(text)?.[1] ?? name, hooks, text };
}
