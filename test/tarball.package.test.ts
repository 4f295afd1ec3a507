import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build as esbuild } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "..");

/** Another project that has installed the packed package. */
let project: string;
let env: Record<string, string | undefined>;
let packed: Packed;

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

beforeAll(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), "hookline-package-")));
  env = { PATH: process.env["PATH"], HOME: join(project, "home") };
  await mkdir(join(project, "home"));
  const { stdout } = await run("npm", ["pack", "--ignore-scripts", "--json", "--pack-destination", project], {
    cwd: root,
    maxBuffer: 64 * 2 ** 20,
  });
  [packed] = JSON.parse(stdout) as [Packed];
  const modules = join(project, "node_modules");
  await mkdir(modules);
  await run("tar", ["-xzf", join(project, packed.filename), "-C", modules]);
  await run("mv", [join(modules, "package"), join(modules, "hookline")]);
  for (const name of await readdir(join(root, "node_modules"))) {
    if (!name.startsWith(".") && name !== "hookline")
      await symlink(join(root, "node_modules", name), join(modules, name));
  }
  await writeFile(join(project, "package.json"), '{ "name": "host", "version": "9.9.9", "type": "module" }');
}, 180_000);

afterAll(() => rm(project, { recursive: true, force: true }));

/** A host that uses what a bundle could break: lazily loaded parts, processes, requests, the version, rules, watching. */
const program = `
import { createServer } from "node:http";
import { openEngine, Problem } from "hookline";
import { combine, judge } from "hookline/permissions";

async function main() {
  const agents = [];
  const server = createServer((request, response) => {
    agents.push(request.headers["user-agent"]);
    response.end("{}");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  const command = { type: "command", command: "echo No. >&2; exit 2", if: "Bash(git push *)" };
  const http = { type: "http", url: \`http://127.0.0.1:\${server.address().port}/\` };
  const later = { type: "command", command: "echo '{\\"systemMessage\\":\\"Later.\\"}'", async: true };
  const engine = await openEngine({
    settings: [{
      httpHookAllowPrivate: true,
      permissions: { allow: ["Bash(git *)"] },
      hooks: {
        PreToolUse: [{ matcher: "Bash", hooks: [command] }],
        PostToolUse: [{ hooks: [http, later] }],
      },
    }],
  });
  const call = { session_id: "s", tool_name: "Bash", tool_input: { command: "git push origin" } };
  const outcome = await engine.fire("PreToolUse", call);
  const { policy, context } = await engine.rules();
  const { decision, reason } = combine(outcome, judge({ tool: "Bash", input: call.tool_input }, policy, context()));
  await engine.fire("PostToolUse", { ...call, tool_response: {} });
  while (engine.background.list().some(({ state }) => state !== "ended")) await new Promise((done) => setTimeout(done, 20));
  const texts = engine.background.take("s").flatMap((answer) => answer.texts);
  const stop = engine.watch();
  stop();
  await engine.close();
  server.close();
  const refused = await openEngine({ concurrency: 0 }).catch((error) => error instanceof Problem && error.code);
  console.log(JSON.stringify({ decision, reason, agents, texts, refused }));
}
main();
`;

async function printed(file: string): Promise<unknown> {
  const { stdout, stderr } = await run(process.execPath, [file], { env, cwd: project });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

async function expected(): Promise<object> {
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  const agents = [`Hookline/${version}`];
  return { decision: "deny", reason: "No.", agents, texts: ["Later."], refused: "engine/bad-option" };
}

test.each([
  ["an ESM file", { format: "esm", outfile: "out/esm/host.mjs" }],
  ["a CommonJS file", { format: "cjs", outfile: "out/cjs/host.cjs" }],
  ["split ESM files", { format: "esm", splitting: true, outdir: "out/split", outExtension: { ".js": ".mjs" } }],
] as const)(
  "a host bundled by esbuild as %s works as it does unbundled",
  async (_, options) => {
    const entry = join(project, "host.mjs");
    await writeFile(entry, program);
    expect(await printed(entry)).toEqual(await expected());
    await esbuild({
      ...options,
      absWorkingDir: project,
      entryPoints: [entry],
      bundle: true,
      platform: "node",
      logLevel: "error",
    });
    // Away from node_modules and from every package.json: all of it has to be in the bundle.
    const alone = await mkdtemp(join(tmpdir(), "hookline-bundle-"));
    try {
      await cp(join(project, "out"), alone, { recursive: true });
      const file = "outfile" in options ? options.outfile.slice(4) : "split/host.mjs";
      expect(await printed(join(alone, file))).toEqual(await expected());
    } finally {
      await rm(alone, { recursive: true, force: true });
    }
  },
  120_000,
);

test("a host bundled by vite for the server works as it does unbundled", async () => {
  const entry = join(project, "host.mjs");
  await writeFile(entry, program);
  // Vite comes with vitest.
  const fromVitest = createRequire(createRequire(import.meta.url).resolve("vitest/package.json"));
  const vite = (await import(pathToFileURL(fromVitest.resolve("vite")).href)) as {
    build(config: object): Promise<unknown>;
  };
  await vite.build({
    root: project,
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true },
    build: { ssr: entry, outDir: join(project, "vite"), target: "node20", emptyOutDir: true },
  });
  const alone = await mkdtemp(join(tmpdir(), "hookline-bundle-"));
  try {
    await cp(join(project, "vite"), alone, { recursive: true });
    await writeFile(join(alone, "package.json"), '{ "type": "module", "version": "9.9.9" }');
    const [file] = (await readdir(alone)).filter((name) => /^host\.m?js$/.test(name));
    expect(await printed(join(alone, file ?? ""))).toEqual(await expected());
  } finally {
    await rm(alone, { recursive: true, force: true });
  }
}, 120_000);

test("the package holds no number of a specification that its readers do not have, and no map to sources that it lacks", async () => {
  const folder = join(project, "node_modules/hookline/dist");
  const files = await readdir(folder, { recursive: true });
  expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
  const texts = files.filter((file) => file.endsWith(".d.ts"));
  expect(texts.length).toBeGreaterThan(10);
  for (const file of texts) {
    const text = await readFile(join(folder, file), "utf8");
    expect([file, text.match(/\b(?:PE|EN|SE|SD|HO|US|DR|EV)-\d+/)?.[0]]).toEqual([file, undefined]);
  }
});

test("the package has fewer than 300 files and is smaller than 3 MB", () => {
  expect(packed.files.length).toBeLessThan(300);
  expect(packed.unpackedSize).toBeLessThan(3_000_000);
});

test("every link and every path that README and docs name is in the package", () => {
  const paths = packed.files.map(({ path }) => path);
  const isShipped = (path: string) => paths.some((file) => file === path || file.startsWith(path.replace(/\/?$/, "/")));
  const named = paths
    .filter((path) => path === "README.md" || /^docs\/.*\.md$/.test(path))
    .flatMap((page) => {
      const text = readFileSync(join(root, page), "utf8");
      const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)[^)]*\)/g)].map(([, to = ""]) =>
        join(dirname(page), to),
      );
      const inCode = [...text.matchAll(/`((?:dist|docs|client|examples|conformance|schema)\/[^`\s#]*)`/g)];
      const paths = inCode.map(([, path = ""]) => path).filter((path) => !/\/[A-Z-]+\//.test(path));
      return [...links, ...paths].map((to) => ({ page, to }));
    });
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter(({ to }) => !isShipped(to))).toEqual([]);
});

test("the package has every conformance case and every schema of the repository, and each reference in a schema resolves", async () => {
  const own = (path: string) => readFile(join(project, "node_modules/hookline", path), "utf8").then(JSON.parse);
  const jsonFiles = async (folder: string) =>
    (await readdir(join(root, folder), { recursive: true })).filter((file) => file.endsWith(".json")).sort();
  const topics = (await readdir(join(project, "node_modules/hookline/dist/conformance"))).map((file) =>
    file.slice(0, -5),
  );
  const cases = await Promise.all(
    topics.map(async (topic) =>
      Object.keys((await own(`dist/conformance/${topic}.json`)) as object).map((claim) => `${topic}/${claim}.json`),
    ),
  );
  expect(cases.flat().sort()).toEqual(await jsonFiles("conformance"));
  const schema = (await own("dist/schema.json")) as { $defs: object };
  const names = Object.keys(schema.$defs).filter((name) => !name.startsWith("shared."));
  expect(names.sort()).toEqual(
    (await jsonFiles("schema")).map((file) => file.slice(0, -5).replaceAll("/", ".")).sort(),
  );
  const at = (pointer: string) =>
    pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], schema);
  const references = [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to = ""]) => to);
  expect(references.length).toBeGreaterThan(10);
  expect(references.filter((to) => at(to) === undefined)).toEqual([]);
  const daily = JSON.parse(await readFile(join(root, "schema/usage/daily.json"), "utf8"));
  const shared = /^#\/\$defs\/shared\.\d+$/;
  const expanded = (part: unknown): unknown =>
    JSON.parse(JSON.stringify(part), (_, value) => (shared.test(value?.$ref) ? expanded(at(value.$ref)) : value));
  expect(expanded(at("#/$defs/usage.daily/properties"))).toEqual(daily.properties);
  for (const [name, kind] of Object.entries({ PreToolUse: "input", Stop: "output" })) {
    const event = JSON.parse(await readFile(join(root, "schema", `${name}.${kind}.json`), "utf8"));
    const { allOf, properties, ...rest } = expanded(at(`#/$defs/${name}.${kind}`)) as Record<string, object>;
    const common = expanded(at(`#/$defs/shared.${kind}/properties`)) as object;
    const { $schema: _schema, $id: _id, ...whole } = event;
    expect({ ...rest, allOf, properties: { ...common, ...properties } }).toEqual({
      ...whole,
      allOf: [{ $ref: `#/$defs/shared.${kind}` }],
    });
  }
});

test("a class that two entry points export is the same class in both", async () => {
  const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { exports: object };
  const names = Object.keys(exports)
    .filter((key) => key !== "./package.json")
    .map((key) => key.replace(".", "hookline"));
  const file = join(project, "classes.mjs");
  await writeFile(
    file,
    `const modules = await Promise.all(${JSON.stringify(names)}.map((name) => import(name)));
const classes = modules.map(({ Problem }) => Problem).filter((Problem) => Problem !== undefined);
console.log(JSON.stringify([classes.length > 1, new Set(classes).size]));`,
  );
  expect(await printed(file)).toEqual([true, 1]);
});

test.each([
  'import { openSession } from "hookline/sessions"; await openSession({});',
  'import { searchSessions } from "hookline/sessions"; await searchSessions({});',
  'import { createApp } from "hookline/sdk"; createApp({ onFailure: "blok" });',
  'import { openEngine } from "hookline"; openEngine({ sttings: [] });',
])("what Node prints for an uncaught problem of %s has short lines", async (text) => {
  const file = join(project, "uncaught.mjs");
  await writeFile(file, text);
  const { stderr } = await run(process.execPath, [file], { cwd: project, env }).catch((error) => error);
  expect(stderr).toContain("\nProblem: ");
  expect(Math.max(...stderr.split("\n").map((line: string) => line.length))).toBeLessThan(250);
});

test("publint reports nothing about the package", async () => {
  const words = [join(root, "node_modules/publint/src/cli.js"), "run", "--strict", join(project, packed.filename)];
  const { stdout } = await run(process.execPath, words, { cwd: project, env });
  expect(stdout).toContain("All good!");
});

test("every host example runs from the package", async () => {
  const folder = join(project, "node_modules/hookline/examples/hosts");
  for (const name of await readdir(folder)) {
    const { stdout, stderr } = await run(process.execPath, [join(folder, name)], { env, cwd: project });
    expect({ name, stderr, printed: stdout !== "" }).toEqual({ name, stderr: "", printed: true });
  }
}, 60_000);

const nodenext = ["--module", "nodenext"];
const bundler = ["--module", "esnext", "--moduleResolution", "bundler"];

async function compile(files: readonly string[], resolution: readonly string[] = nodenext): Promise<string> {
  const options = ["--noEmit", "--strict", "--allowJs", "--checkJs", "--skipLibCheck", "false", "--target", "es2023"];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  try {
    await run(process.execPath, [tsc, ...options, ...resolution, "--types", "node", ...files], { cwd: project });
    return "";
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  }
}

test("every host example compiles in TypeScript against the package", async () => {
  const folder = join(project, "examples");
  await cp(join(root, "examples/hosts"), folder, { recursive: true });
  const files = (await readdir(folder)).map((name) => join(folder, name));
  expect(files.length).toBeGreaterThan(3);
  expect(await compile(files)).toBe("");
}, 60_000);

test("the declarations of every entry point compile without skipLibCheck, by both ways to resolve modules", async () => {
  const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { exports: object };
  const names = Object.keys(exports).filter((key) => key !== "./package.json");
  const file = join(project, "all.mts");
  const lines = names.map((key, index) => `import * as m${index} from "${key.replace(".", "hookline")}";`);
  await writeFile(file, `${lines.join("\n")}\nexport { ${names.map((_, index) => `m${index}`).join(", ")} };\n`);
  expect([await compile([file]), await compile([file], bundler)]).toEqual(["", ""]);
}, 60_000);

test("a wrong event name, payload field or answer does not compile against the package", async () => {
  const wrong = [
    'await engine.fire("PreTooluse", { tool_name: "Bash", tool_input: {} });',
    'await engine.fire("PreToolUse", { tool_nam: "Bash", tool_input: {} });',
    'await engine.fire("SessionStart", { source: "boot" });',
    'engine.on("PreToolUse", () => ({ kind: "block", reason: "r" }));',
    'engine.on("Stop", "x");',
    "await openEngine({ concurency: 2 });",
    'await openEngine({ ports: { judge: () => ({ decision: "block", reason: "r" }) } });',
  ];
  const right = [
    'const outcome: Outcome = await engine.fire("PreToolUse", { tool_name: "Bash", tool_input: {} });',
    "const runs: readonly RunRecord[] = outcome.runs;",
    "const warnings: readonly Warning[] = outcome.warnings;",
    'const output: HookOutput = { systemMessage: "m" };',
    "const active = (payload: Payload<'Stop'>) => payload.stop_hook_active;",
    'await engine.fireUnknown("Anything", JSON.parse("{}")).catch((error) => error instanceof Problem);',
    "const combined = (judgement: Judgement) => combine(outcome, judgement).decision;",
    "console.log(runs, warnings, output, active, combined);",
  ];
  const head = [
    'import { type HookOutput, openEngine, type Outcome, type Payload, Problem, type RunRecord, type Warning } from "hookline";',
    'import { combine, type Judgement } from "hookline/permissions";',
    "const engine = await openEngine();",
  ];
  const file = join(project, "consumer.mts");
  await writeFile(file, [...head, ...right, ...wrong.flatMap((line) => ["// @ts-expect-error", line])].join("\n"));
  expect([await compile([file]), await compile([file], bundler)]).toEqual(["", ""]);
  await writeFile(file, [...head, ...right, ...wrong].join("\n"));
  const errors = await compile([file]);
  for (const [index] of wrong.entries())
    expect(errors).toContain(`consumer.mts(${head.length + right.length + index + 1},`);
}, 60_000);
