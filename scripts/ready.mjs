/**
 * Makes a fresh clone ready: installs what is missing and builds what is out of date.
 * Runs in front of every npm script, so it must be quick when there is nothing to do and needs nothing but Node and npm.
 */
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const stamp = join(root, "node_modules", ".hookline-installed");
const built = join(root, ".build", ".built");

if (isOlder(stamp, join(root, "package-lock.json"))) await install();
if (process.argv.includes("--build") || isOlder(built, ...sources())) await build();

async function install() {
  say("Installing dependencies …");
  // Not `npm ci`: it refuses a lock file that lacks another platform's optional binary. This still follows the lock file.
  await run(process.platform === "win32" ? "npm.cmd" : "npm", ["install", "--no-save", "--no-audit", "--no-fund"]);
  writeFileSync(stamp, "");
}

/** The package goes to dist/; what the compiler writes goes to .build/, for declarations and for programs that use internals. */
async function build() {
  say("Building …");
  for (const folder of ["dist", ".build"]) rmSync(join(root, folder), { recursive: true, force: true });
  const script = (name) => run(process.execPath, [join("scripts", "build", name)]);
  const declarations = () => script("declarations.mjs");
  await Promise.all([
    run(process.execPath, [tsc(), "-p", "tsconfig.build.json"]).then(declarations),
    script("bundle.mjs"),
    script("data-files.mjs"),
  ]);
  writeFileSync(built, "");
  const now = new Date();
  utimesSync(built, now, now);
}

function tsc() {
  const home = join(root, "node_modules", "typescript");
  return join(home, JSON.parse(readFileSync(join(home, "package.json"), "utf8")).bin.tsc);
}

function* sources() {
  yield join(root, "package.json");
  yield join(root, "tsconfig.json");
  yield join(root, "tsconfig.build.json");
  yield* filesBelow(join(root, "scripts", "build"));
  for (const folder of ["src", "schema", "conformance"]) yield* filesBelow(join(root, folder));
}

function* filesBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (!entry.name.endsWith(".test.ts")) yield path;
  }
}

/** True when `file` is missing or any of `others` is newer than it. */
function isOlder(file, ...others) {
  if (!existsSync(file)) return true;
  const time = statSync(file).mtimeMs;
  return others.some((other) => statSync(other).mtimeMs > time);
}

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
    child.on("error", (error) => fail(`${command} could not be started: ${error.message}`));
    child.on("exit", (status) =>
      status === 0 ? resolve() : fail(`${command} ${args.join(" ")} failed with status ${status}`),
    );
  });
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(`hookline: ${text}`);
  process.exit(1);
}
