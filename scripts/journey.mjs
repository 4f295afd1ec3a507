/**
 * `node scripts/journey.mjs [--list]`: how many source files one PreToolUse executes on its way through `hookline fire`.
 *
 * Every source file is transformed on its own into a temporary folder, so that bundling does not change the figure. A file counts as
 * executed when V8 ran one of its functions; loading it does not count. The scenario with a limit: one command hook in --settings,
 * without `if`, denies the call. "event only" is the second event of an engine that is open already.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transformSync } from "esbuild";

/** The figure reached; lower it with the code. */
const mostExecuted = 60;

const root = join(import.meta.dirname, "..");
const place = mkdtempSync(join(tmpdir(), "hookline-journey-"));
const list = process.argv.includes("--list");
try {
  transformSources();
  const denied = measure("deny, no if", { command: "exit 2" });
  measure('deny, if "Bash(git *)"', { command: "exit 2", if: "Bash(git *)" });
  if (denied > mostExecuted) {
    console.error(
      `journey: ${denied} files are executed; the limit is ${mostExecuted} (mostExecuted in scripts/journey.mjs)`,
    );
    process.exitCode = 1;
  }
} finally {
  rmSync(place, { recursive: true, force: true });
}

function transformSources() {
  const sources = readdirSync(join(root, "src"), { recursive: true }).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !file.includes("fixtures"),
  );
  for (const file of sources) {
    const { code } = transformSync(readFileSync(join(root, "src", file), "utf8"), { loader: "ts", target: "node20" });
    const target = join(place, "src", file.replace(/\.ts$/, ".js"));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, code.replace(/(from |import |import\()"(\.[^"]*)\.ts"/g, '$1"$2.js"'));
  }
  cpSync(join(root, "package.json"), join(place, "package.json"));
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"), "dir");
}

/** Prints the figures of one scenario and returns the files that the whole process executed. */
function measure(name, hook) {
  const folder = mkdtempSync(join(place, "run-"));
  const settings = { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", ...hook }] }] } };
  const payload = { tool_name: "Bash", tool_input: { command: "git push" } };
  const run = (program) => {
    const coverage = mkdtempSync(join(folder, "coverage-"));
    const env = { PATH: process.env.PATH, HOME: folder, NODE_V8_COVERAGE: coverage };
    const text = execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd: folder, env });
    const [report] = readdirSync(coverage);
    return { text: String(text), scripts: JSON.parse(readFileSync(join(coverage, report), "utf8")).result };
  };
  const args = [
    "fire",
    "PreToolUse",
    "--input",
    JSON.stringify(payload),
    "--settings",
    JSON.stringify(settings),
    "--json",
  ];
  const whole = run(`
    import { start } from ${url("cli/start.js")};
    await start(${JSON.stringify(args)});`);
  const { decision } = JSON.parse(whole.text);
  if (decision !== "deny") throw new Error(`the outcome of "${name}" is ${decision}, not deny`);
  const event = run(`
    import { takeCoverage } from "node:v8";
    import { readdirSync, unlinkSync } from "node:fs";
    import { openEngine } from ${url("engine/index.js")};
    const engine = await openEngine({ settings: [${JSON.stringify(JSON.stringify(settings))}] });
    await engine.fireUnknown("PreToolUse", ${JSON.stringify(payload)});
    takeCoverage();
    const folder = process.env.NODE_V8_COVERAGE;
    for (const file of readdirSync(folder)) unlinkSync(folder + "/" + file);
    await engine.fireUnknown("PreToolUse", ${JSON.stringify(payload)});
    takeCoverage();
    process.reallyExit(0);`);
  const executed = filesOf(whole.scripts, ranAFunction);
  const eventOnly = filesOf(event.scripts, ranAFunction);
  const loaded = filesOf(whole.scripts, () => true);
  console.log(`${name}: executed ${executed.length}, event only ${eventOnly.length}, loaded ${loaded.length}`);
  console.log(`  ${byModule(executed)}`);
  if (list) for (const file of executed) console.log(`  ${eventOnly.includes(file) ? "event" : "     "}  ${file}`);
  return executed.length;
}

function url(file) {
  return JSON.stringify(pathToFileURL(join(place, "src", file)).href);
}

function filesOf(scripts, wanted) {
  const own = join(place, "src");
  return scripts
    .filter(({ url, functions }) => url.startsWith(pathToFileURL(own).href) && wanted(functions))
    .map(({ url }) => relative(own, fileURLToPath(url)).replace(/\.js$/, ".ts"))
    .sort();
}

/** The function that begins at 0 is the module itself. */
function ranAFunction(functions) {
  return functions.some(({ ranges: [range] }) => range.startOffset > 0 && range.count > 0);
}

function byModule(files) {
  const counts = new Map();
  for (const [module] of files.map((file) => file.split("/"))) counts.set(module, (counts.get(module) ?? 0) + 1);
  return [...counts].map(([module, count]) => `${module} ${count}`).join(", ");
}
