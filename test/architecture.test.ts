import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expect, test } from "vitest";
import { longParts } from "./long-parts.ts";

const src = resolve(import.meta.dirname, "../src");

/** Who may import whom: the table of ARCHITECTURE.md. `engine/settings` is the one folder that another module may import without internal.ts. */
const architecture = readFileSync(resolve(src, "../ARCHITECTURE.md"), "utf8");
const mayImport = importTable(architecture);
const onDemand: Record<string, readonly string[]> = Object.fromEntries(
  [...architecture.matchAll(/^ {4}([a-z]+) +← +(.+)$/gm)].map(([, name = "", below = ""]) => [
    name,
    [...below.matchAll(/([a-z]+) \(on demand\)/g)].map(([, one = ""]) => one),
  ]),
);

/** npm packages and the only modules that may load them. */
const packageOwners: Record<string, readonly string[]> = {
  unbash: ["permissions"],
  yaml: ["engine"],
  "node-sqlite3-wasm": ["sessions"],
  esbuild: ["sdk"],
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

test("imports only go down, and through internal.ts", () => {
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

test("what the table marks as on demand is imported by type, or by import() inside a function", () => {
  const wrong = files.filter(({ module, text }) =>
    (onDemand[module] ?? []).some((below) =>
      new RegExp(`^(?:import|export)(?! type)[^;(]*"[^"]*/${below}/internal\\.ts"`, "m").test(text),
    ),
  );
  expect(onDemand).toMatchObject({ sdk: ["sessions", "daemon"], runner: ["engine"] });
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

test("no source files import each other in a circle, not even types; import() does not count", () => {
  expect(circlesIn(importGraph())).toEqual([]);
});

/** Lists of equal things: one file for each command. */
const listFolders = ["cli/commands"];

test("a folder has at most 25 source files", () => {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const folder = relative(src, dirname(path)).split(sep).join("/");
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  expect([...counts].filter(([folder, count]) => count > 25 && !listFolders.includes(folder))).toEqual([]);
});

test("a source file has at most 250 lines", () => {
  const long = files
    .map(({ path, text }) => ({ name: relative(src, path).split(sep).join("/"), lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > 250);
  expect(long).toEqual([]);
});

test("there are at most 700 source files", () => {
  expect(files.length).toBeLessThanOrEqual(700);
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
  const dynamic = [...withoutComments(text).matchAll(/\bimport\s*\(\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
  return [...staticImportsOf(text), ...dynamic];
}

function staticImportsOf(text: string): string[] {
  const code = withoutComments(text);
  return [
    ...code.matchAll(/^(?:import|export)\b[^;"']*?\bfrom\s*"([^"]+)"/gm),
    ...code.matchAll(/^import\s*"([^"]+)"/gm),
  ].map((match) => match[1] ?? "");
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "");
}

/** Which source file imports which others, by their paths below src. */
function importGraph(): Map<string, string[]> {
  const nameOf = (path: string) => relative(src, path).split(sep).join("/");
  return new Map(
    files.map((file) => [
      nameOf(file.path),
      staticImportsOf(file.text).map((target) => nameOf(resolve(dirname(file.path), target))),
    ]),
  );
}

/** The groups of nodes that reach each other (Tarjan's algorithm). */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  const visit = (node: string): number => {
    order.set(node, order.size);
    let low = order.size - 1;
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!graph.has(next)) continue;
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === order.get(node)) {
      const circle = stack.splice(stack.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return low;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return circles;
}
