import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { afterAll, expect, test } from "vitest";
import { bundleModule, bundleScript } from "./bundle.ts";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-bundle-")));
afterAll(async () => {
  await esbuild.stop();
  rmSync(folder, { recursive: true, force: true });
});

function project(name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true });
    writeFileSync(join(folder, name, path), text);
  }
  return join(folder, name, Object.keys(files)[0] ?? "");
}

async function isScript(file: string): Promise<boolean> {
  const { canBeScript, inputs } = await bundleModule(esbuild, file);
  return canBeScript && (await bundleScript(esbuild, file, inputs)) !== undefined;
}

test("code that behaves differently as a script stays a module", async () => {
  const texts = {
    plain: `import { sep } from "node:path"; export default [sep, "module exports arguments"];`,
    named: `const module = 1, exports = 2, require = 3; export default [module, exports, require];`,
    none: `export default typeof arguments;`,
    asksForModule: `export default typeof module;`,
    asksForRequire: `export default typeof require;`,
    asksForPlace: `export default typeof __filename;`,
    evaluates: `export default eval("1");`,
    writesStacks: `Error.prepareStackTrace = String; export default 1;`,
    asksForNobody: `import { nobody } from "node:path"; export default nobody;`,
  };
  const found: Record<string, boolean> = {};
  for (const [name, text] of Object.entries(texts)) found[name] = await isScript(project(name, { "a.mjs": text }));
  const no = {
    asksForModule: false,
    asksForRequire: false,
    asksForPlace: false,
    evaluates: false,
    writesStacks: false,
  };
  expect(found).toEqual({ plain: true, named: true, none: true, ...no, asksForNobody: false });
});

test("a hooks file with * in its path loads", async () => {
  const file = project("st*r", { "ho*ks.ts": "export default 1;" });
  expect((await bundleModule(esbuild, file)).inputs.map(({ path }) => path)).toEqual([file]);
  expect(await isScript(file)).toBe(true);
});

test("stack traces name the hooks file, also with spaces, % and accents in its path", async () => {
  const place = "export const at = import.meta.url;";
  const file = project("100% é", {
    "hôoks #1.ts": `import { at } from "./wörds 5%.ts"; import { n } from "./n.ts"; export default [at, n];`,
    "n.ts": "export const n = 1;",
    "wörds 5%.ts": place,
  });
  const { map, inputs } = await bundleModule(esbuild, file);
  const { sources } = JSON.parse(map) as { sources: string[] };
  expect(sources.map((url) => fileURLToPath(url)).sort()).toEqual(inputs.map(({ path }) => path).sort());
});

test("an import of sloppy-mode CommonJS keeps the file a module", async () => {
  const lib = { "lib.cjs": "leak = 1; exports.leak = leak;" };
  expect(await isScript(project("cjs", { "a.mjs": `import lib from "./lib.cjs"; export default lib;`, ...lib }))).toBe(
    false,
  );
  const plain = { "lib.js": "globalThis.sloppy = this;" };
  expect(await isScript(project("js", { "a.mjs": `import "./lib.js"; export default 1;`, ...plain }))).toBe(false);
});

test("an import for its side effects is kept despite sideEffects: false", async () => {
  const file = project("effects", {
    "a.mjs": `import "./rules.mjs"; export default 1;`,
    "rules.mjs": `globalThis.rules = ["no"];`,
    "package.json": `{ "sideEffects": false }`,
  });
  const { code, inputs } = await bundleModule(esbuild, file);
  expect(code).toContain(`globalThis.rules = ["no"]`);
  expect((await bundleScript(esbuild, file, inputs))?.code).toContain(`globalThis.rules = ["no"]`);
});

test("a build uses the text that was read, also when the file changes meanwhile", async () => {
  const file = project("changes", { "a.mjs": `export default "old";` });
  const { inputs } = await bundleModule(esbuild, file);
  writeFileSync(file, `export default "new";`);
  expect(inputs).toEqual([{ path: file, text: `export default "old";` }]);
  expect((await bundleScript(esbuild, file, inputs))?.code).toContain(`"old"`);
});

test("functions keep their names in the bundle", async () => {
  const file = project("names", {
    "a.mjs": `import { check as other } from "./b.mjs"; function check() {} export default [check, other];`,
    "b.mjs": `export function check() {}`,
  });
  const { code } = await bundleModule(esbuild, file);
  const built = project("names", { "built.mjs": code });
  const { default: found } = (await import(built)) as { default: (() => void)[] };
  expect(found.map(({ name }) => name)).toEqual(["check", "check"]);
});

test("text that looks like an import is not loaded and keeps the file a module", async () => {
  const file = project("looks", { "a.mjs": "", "b.mjs": "globalThis.ran = true;" });
  writeFileSync(file, `export default \`\nimport { x } from "file://${join(dirname(file), "b.mjs")}";\n\`;`);
  const { code, canBeScript } = await bundleModule(esbuild, file);
  expect(code).toMatch(/^import \{ x \} from "file:/m);
  expect([canBeScript, "ran" in globalThis]).toEqual([false, false]);
});

test("a # import is built, pinned and listed as an input", async () => {
  const file = project("inside", {
    "a.mjs": `import { one } from "#one"; import { two } from "inside/two"; import "#dep"; export default [one, two];`,
    "one.ts": `export const one: number = 1;`,
    "two.mjs": `export const two = 2;`,
    "node_modules/dep/package.json": `{ "exports": { "module": "./bundler.js", "default": "./node.js" } }`,
    "node_modules/dep/bundler.js": "",
    "node_modules/dep/node.js": "",
    "package.json": JSON.stringify({
      name: "inside",
      exports: { "./two": "./two.mjs" },
      imports: { "#one": "./one.ts", "#dep": "dep" },
    }),
  });
  const { inputs, code } = await bundleModule(esbuild, file);
  const own = ["a.mjs", "one.ts", "package.json", "two.mjs"].map((name) => join(dirname(file), name));
  expect(inputs.map(({ path }) => path)).toEqual(own);
  expect(code.match(/from "file:.*"|import "file:.*"/g)).toEqual([expect.stringContaining("dep/node.js")]);
});

test("built functions contain no build helper", async () => {
  const file = project("text", {
    "a.mjs": `function add(a, b) { const sum = () => a + b; return sum(); } export default add;`,
  });
  const { code, inputs } = await bundleModule(esbuild, file);
  const script = await bundleScript(esbuild, file, inputs);
  expect([code, script?.code].map((text) => text?.includes("__name("))).toEqual([false, false]);
  // A class that speaks of itself would be called otherwise.
  const self = project("self", { "a.mjs": `class Rule { static made = new Rule(); } export default Rule.name;` });
  const built = project("self", { "built.mjs": (await bundleModule(esbuild, self)).code });
  expect(((await import(built)) as { default: string }).default).toBe("Rule");
});

test("a namespace import of JSON keeps the file a module", async () => {
  const files = { "d.json": `{ "a": 1 }` };
  const whole = `import * as d from "./d.json" with { type: "json" }; export default Object.keys(d);`;
  const inside = `import d from "./d.json" with { type: "json" }; export default d.a;`;
  expect(await isScript(project("json-whole", { "a.mjs": whole, ...files }))).toBe(false);
  expect(await isScript(project("json-inside", { "a.mjs": inside, ...files }))).toBe(true);
});

test("code that sees the namespace of an entry point stays a module; code that reads its members does not", async () => {
  const from = `from "hookline/permissions";`;
  const texts = {
    members: `import * as P ${from} export default P.analyseShell;`,
    named: `import { analyseShell } ${from} export default analyseShell;`,
    keys: `import * as P ${from} export default Object.keys(P);`,
    missingDefault: `import * as P ${from} export default P.default;`,
    again: `export * ${from} export default 1;`,
    node: `import * as path from "node:path"; export default Object.keys(path);`,
  };
  const found: Record<string, boolean> = {};
  for (const [name, text] of Object.entries(texts))
    found[name] = await isScript(project(`seen-${name}`, { "a.mjs": text }));
  expect(found).toEqual({ members: true, named: true, keys: false, missingDefault: false, again: false, node: true });
});
