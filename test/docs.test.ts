import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { findingCodes, openEngine } from "../src/engine/internal.ts";
import { npmInstallCommand } from "../src/files/internal.ts";
import { installFindingCodes } from "../src/install/internal.ts";
import { catalog, problemCodes, warningCodes } from "../src/protocol/index.ts";
import { commonFields, groupFields, hookFields, ruleWarningCodes, settingsFields } from "../src/protocol/internal.ts";
import { help } from "./docs/help.ts";
import { anchorsIn, chapters, linksIn, pages, read, root } from "./docs/texts.ts";

test("reference pages match their sources, and chapters are linked in order", async () => {
  const { docPages } = (await import(join(root, "scripts/docs/pages.mjs"))) as { docPages: DocPages };
  const { publicApi } = (await import(join(root, "scripts/docs/api-page.mjs"))) as { publicApi(): object };
  const wanted = await docPages({
    tables: { catalog, commonFields, findingCodes, installFindingCodes, problemCodes, ruleWarningCodes, warningCodes },
    help,
    api: publicApi(),
    read: (file) => read(join("docs", file)),
  });
  const differing = [...wanted].filter(([file, text]) => text !== read(join("docs", file))).map(([file]) => file);
  expect(differing, "npm run docs writes them").toEqual([]);
  const names = chapters.map((chapter) => chapter.slice("docs/".length));
  expect(names.sort(), "docs/README.md lists every chapter").toEqual([...wanted.keys()].sort());
});

type DocPages = (sources: {
  tables: Record<string, unknown>;
  help: typeof help;
  api: object;
  read: (file: string) => string;
}) => Promise<Map<string, string>>;

test("the table of the long suite in CONTRIBUTING is that of test/long-parts.json", async () => {
  const { withLongTable } = (await import(join(root, "scripts/docs/long-table.mjs"))) as {
    withLongTable(text: string): string;
  };
  expect(read("CONTRIBUTING.md"), "npm run docs writes it").toBe(withLongTable(read("CONTRIBUTING.md")));
});

test("pages for everyday tasks have at most 90 lines, other pages that teach a task at most 180", () => {
  const longerThan = (limit: number, names: readonly string[]) =>
    names.filter((name) => read(`docs/${name}.md`).trimEnd().split("\n").length > limit);
  expect(longerThan(90, ["daemon", "install", "tasks"])).toEqual([]);
  expect(longerThan(180, ["agent", "embedding", "hooks", "permissions", "sdk", "testing", "trust"])).toEqual([]);
});

test("every link has a target", () => {
  const broken = pages.flatMap((page) =>
    linksIn(read(page))
      .filter((to) => !hasTarget(page, to))
      .map((to) => `${page} → ${to}`),
  );
  expect(broken).toEqual([]);
});

function hasTarget(page: string, to: string): boolean {
  const [path = "", anchor] = to.split("#");
  const target = path === "" ? page : join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || anchorsIn(read(target)).has(anchor);
}

test("every link in README and docs works in the installed package", () => {
  const { files } = JSON.parse(read("package.json")) as { files: string[] };
  const shipped = (path: string) => files.some((file) => path === file || path.startsWith(`${file}/`));
  const dead = ["README.md", "docs/README.md", ...chapters].flatMap((page) =>
    linksIn(read(page))
      .map((to) => join(dirname(page), to.split("#")[0] ?? ""))
      .filter((to) => to !== dirname(page) && !shipped(to))
      .map((to) => `${page} → ${to}`),
  );
  expect(dead).toEqual([]);
});

test("README shows the install command that messages print", () => {
  expect(read("README.md")).toContain(npmInstallCommand("../hookline"));
});

test("every command that a page names exists, and the changelog names them all", async () => {
  const known = new Set((await help([])).match(/(?<=^ {2})[a-z]+/gm));
  const promised = [...read("CHANGELOG.md").matchAll(/`hookline ([a-z]+)`/g)].map(([, name = ""]) => name);
  expect(promised.sort()).toEqual([...known].sort());
  const named = pages.flatMap((page) => [...read(page).matchAll(/(?:^\$ (?:npx )?|`)hookline ([a-z]+)/gm)]);
  expect([...new Set(named.map(([, name = ""]) => name))].filter((name) => !known.has(name))).toEqual([]);
});

test("the chapters on hooks and embedding name every key, option and method", async () => {
  const engine = await openEngine({ home: root, managedFolder: root });
  await engine.close();
  const keys = [...Object.values(hookFields), groupFields, settingsFields].flatMap(Object.keys);
  const options = membersOf("EngineOptions", "src/engine/options.ts");
  const ports = membersOf("Ports", "src/engine/ports.ts");
  const settingsPages = read("docs/hooks.md") + read("docs/settings-reference.md");
  const embeddingPages = read("docs/embedding.md") + read("docs/embedding-reference.md");
  expect(missing(keys, settingsPages)).toEqual([]);
  expect(missing([...options, ...ports], embeddingPages)).toEqual([]);
  const unnamed = Object.keys(engine).filter((name) => !new RegExp(`^## .*\\b${name}\\b`, "m").test(embeddingPages));
  expect(unnamed).toEqual([]);
});

test("the changelog names everything that an entry point exports", async () => {
  const { withNames } = (await import(join(root, "scripts/docs/changelog.mjs"))) as Changelog;
  expect(read("CHANGELOG.md"), "npm run docs adds them").toBe(withNames(read("CHANGELOG.md"), await entryPoints()));
});

test("every name that examples import is exported by its entry point", async () => {
  const exported = await entryPoints();
  const imported = pages.flatMap((page) =>
    [...read(page).matchAll(/^import \{ (.*) \} from "(hookline[^"]*)"/gm)].flatMap(([, names = "", entryPoint = ""]) =>
      names
        .split(/, ?/)
        .filter((name) => !/^type /.test(name))
        .map((name) => ({ page, entryPoint, name })),
    ),
  );
  expect(imported.length).toBeGreaterThan(40);
  expect(imported.filter(({ entryPoint, name }) => !exported[entryPoint]?.includes(name))).toEqual([]);
});

async function entryPoints(): Promise<Record<string, string[]>> {
  const { exportedNames } = (await import(join(root, "scripts/docs/changelog.mjs"))) as Changelog;
  return exportedNames((path) => import(join(root, "src", `${path}.ts`)));
}

interface Changelog {
  exportedNames(load: (path: string) => Promise<object>): Promise<Record<string, string[]>>;
  withNames(changelog: string, names: Record<string, string[]>): string;
}

test("ARCHITECTURE.md names every module, and every file that it names exists", () => {
  const text = read("ARCHITECTURE.md");
  const modules = readdirSync(join(root, "src"));
  expect(modules.filter((name) => !text.includes(`── ${name}/`))).toEqual([]);
  const files = text.match(/(?<![\w./-])(?:src|test|scripts|bench|client)\/[\w./-]+/g) ?? [];
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/** The names of an interface's members. */
function membersOf(name: string, file: string): string[] {
  const [, body = ""] = new RegExp(`^export interface ${name}\\b[^]*?\\{\\n([^]*?)^\\}`, "m").exec(read(file)) ?? [];
  const members = [...body.matchAll(/^ {2}readonly (\w+)/gm)].map(([, member = ""]) => member);
  expect(members.length, `${name} in ${file}`).toBeGreaterThan(0);
  return members;
}

/** Names that the text does not have as code. */
function missing(names: readonly string[], text: string): string[] {
  return names.filter((name) => !new RegExp(`\`[^\`\n]*\\b${name}\\b[^\`\n]*\``).test(text));
}
