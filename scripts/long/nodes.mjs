/**
 * The part `nodes`: tests under other versions of Node than the one at hand. `nodes.mjs [--full] [MAJOR]… [PATH]…`. Each version is fetched
 * from the npm registry once, into a folder for caches. Where that fails it is skipped with a message; with HOOKLINE_REQUIRE=nodes it fails.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { parts, root, vitest } from "./parts.mjs";

const cache = join(root, "node_modules", ".cache", "hookline-nodes");
/** The modules in which our code meets Node most. */
const modules = [
  "src/sdk",
  "test/sdk",
  "src/daemon",
  "test/daemon",
  "src/install",
  "src/cli",
  "src/replay",
  "test/replay",
];
const isRequired = (process.env.HOOKLINE_REQUIRE ?? "").split(",").includes("nodes");

const full = process.argv.includes("--full");
const positionals = process.argv.slice(2).filter((argument) => argument !== "--full");
const isMajor = (argument) => /^\d+$/.test(argument);
const majors = positionals.some(isMajor) ? positionals.filter(isMajor) : ["22", "24"];
const paths = positionals.filter((argument) => !isMajor(argument));

const results = majors.map(test);
process.stdout.write(`\nOther versions of Node\n${results.map(({ line }) => `  ${line}\n`).join("")}`);
process.exitCode = results.some(({ failed }) => failed) ? 1 : 0;

function test(major) {
  const node = fetchNode(major);
  if (node === undefined)
    return { line: `skipped  Node ${major}: not available from the registry`, failed: isRequired };
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  process.stdout.write(`\n— Node ${version}\n`);
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const failed = runsFor(major).filter((args) => {
    const { status } = spawnSync(node, [vitest, "run", ...args], {
      cwd: root,
      env,
      stdio: ["ignore", "inherit", "inherit"],
    });
    return status !== 0;
  });
  return { line: `${failed.length === 0 ? "ok     " : "FAILED "}  Node ${version}`, failed: failed.length > 0 };
}

/** The arguments for each run of vitest. */
function runsFor(major) {
  const projects = full
    ? parts.filter(({ files, alone }) => files && !alone).map(({ name }) => name)
    : major === "22"
      ? []
      : ["daemon", "program"];
  const long = [
    "--config",
    "vitest.long.config.ts",
    "--maxWorkers=2",
    ...projects.flatMap((name) => ["--project", name]),
  ];
  const short = paths.length > 0 ? paths : full ? [] : modules;
  return projects.length === 0 ? [short] : [short, [...long, "--passWithNoTests", ...paths]];
}

/** The program; the registry has it as a package for each platform. */
function fetchNode(major) {
  const folder = join(cache, major);
  const node = join(folder, "package", "bin", process.platform === "win32" ? "node.exe" : "node");
  if (existsSync(node)) return node;
  mkdirSync(cache, { recursive: true });
  const fresh = mkdtempSync(join(cache, "new-"));
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}@${major}`;
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const quiet = { cwd: fresh, stdio: "ignore", timeout: 180_000 };
  const packed = spawnSync(npm, ["pack", name, "--silent"], quiet).status === 0;
  if (packed) spawnSync("tar", ["xzf", ...readdirSync(fresh)], quiet);
  // A public program: tests start it as another user too.
  chmodSync(fresh, 0o755);
  rmSync(folder, { recursive: true, force: true });
  renameSync(fresh, folder);
  return existsSync(node) ? node : undefined;
}
