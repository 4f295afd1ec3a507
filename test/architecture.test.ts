import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expect, test } from "vitest";
import { longParts } from "./long-parts.ts";

const src = resolve(import.meta.dirname, "../src");

/** Who may import whom: the table of ARCHITECTURE.md. `engine/settings` is the one room another module may enter beside a door. */
const mayImport = importTable(readFileSync(resolve(src, "../ARCHITECTURE.md"), "utf8"));

/** npm packages and the only modules that may load them. */
const packageOwners: Record<string, readonly string[]> = {
  unbash: ["permissions"],
  yaml: ["engine"],
  "node-sqlite3-wasm": ["sessions"],
  esbuild: ["sdk"],
  chokidar: ["agent"],
  bullmq: ["sdk"],
  ioredis: ["sdk"],
  "@anthropic-ai/sdk": ["models"],
  openai: ["models"],
  "@modelcontextprotocol/sdk": ["agent"],
};

const files = readdirSync(src, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.includes(`fixtures${sep}`))
  .map((name) => ({
    path: join(src, name),
    module: name.split(sep)[0] ?? "",
    text: readFileSync(join(src, name), "utf8"),
  }));

test("the import table can be read", () => {
  expect(mayImport).toMatchObject({ protocol: [], files: ["protocol"], cli: ["every", "module"] });
});

test("every module is in the import table", () => {
  const unknown = new Set(files.map((file) => file.module).filter((name) => !(name in mayImport)));
  expect([...unknown]).toEqual([]);
});

test("imports only go down, and through a door", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file.text)
      .filter((target) => target.startsWith("."))
      .map((target) =>
        relative(src, resolve(dirname(file.path), target))
          .split(sep)
          .join("/"),
      )
      .filter((target) => target.split("/")[0] !== file.module && !allowed(file.module, target))
      .map((target) => `${relative(src, file.path)} → ${target}`),
  );
  expect(wrong).toEqual([]);
});

test("of sessions and the daemon the sdk names types only, or loads them on demand: a hook process pays for neither", () => {
  const loads = /^(?:import|export)(?! type)[^;(]*"[^"]*(?:sessions|daemon)\/index\.ts"/m;
  const wrong = files.filter(({ module, text }) => module === "sdk" && loads.test(text));
  expect(wrong.map(({ path }) => relative(src, path))).toEqual([]);
});

test("an npm package is loaded by its owner only", () => {
  const wrong = files.flatMap((file) =>
    importsOf(file.text)
      .filter((target) => !target.startsWith(".") && !target.startsWith("node:"))
      .map((target) =>
        target
          .split("/")
          .slice(0, target.startsWith("@") ? 2 : 1)
          .join("/"),
      )
      .filter((name) => !packageOwners[name]?.includes(file.module))
      .map((name) => `${relative(src, file.path)} → ${name}`),
  );
  expect(wrong).toEqual([]);
});

const root = resolve(src, "..");
const testFiles = ["src", "test"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  )
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => name.split(sep).join("/"));
const partOf = (name: string) => /\.([^./]+)\.test\.ts$/.exec(name)?.[1];

test("a test file with a second suffix names a part of the long suite", () => {
  const wrong = testFiles.filter((name) => ![undefined, ...longParts].includes(partOf(name)));
  expect(wrong).toEqual([]);
});

/** The hooks files of these tests start timers; the tests themselves do not. */
const timersInHooksFiles = ["src/sdk/load/slow-import.test.ts", "test/sdk/run.test.ts"];

test("tests of npm test wait for conditions, not for a time", () => {
  const wrong = testFiles
    .filter((name) => partOf(name) === undefined && !name.startsWith("test/interop/"))
    .filter((name) => !timersInHooksFiles.includes(name))
    .filter((name) => /\bsetTimeout(?:\(| as )/.test(readFileSync(join(root, name), "utf8")));
  expect(wrong).toEqual([]);
});

function importTable(text: string): Record<string, readonly string[]> {
  const rows = [...text.matchAll(/^ {4}([a-z]+) +← +(.+)$/gm)];
  return Object.fromEntries(
    rows.map(([, name = "", below = ""]) => [name, below === "nothing" ? [] : below.split(" ")]),
  );
}

function allowed(module: string, target: string): boolean {
  const [to = "", ...rest] = target.split("/");
  const inner = rest.join("/");
  // A hooks file that was built into a script gets the sdk from the program, which therefore loads its entry point.
  const isEntryPoint = inner === "internal.ts" || (to === "sdk" && inner === "index.ts");
  if (module === "cli") return isEntryPoint || inner === "testing/index.ts";
  const rules = mayImport[module] ?? [];
  return isEntryPoint && rules.includes(to);
}

/** Static and dynamic imports, `import type` included: a type is a dependency too. */
function importsOf(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "");
  return [
    ...code.matchAll(/^(?:import|export)\b[^;"']*?\bfrom\s*"([^"]+)"/gm),
    ...code.matchAll(/^import\s*"([^"]+)"/gm),
    ...code.matchAll(/\bimport\s*\(\s*"([^"]+)"/g),
  ].map((match) => match[1] ?? "");
}
