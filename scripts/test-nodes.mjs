/**
 * `npm run test:nodes [MAJOR]… [PATH]…`: the suites in which our code meets Node most, under other versions than the one at hand.
 * Each is fetched from the npm registry once, into a folder for caches; where that cannot be it is skipped, and says so.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cache = join(root, "node_modules", ".cache", "hookline-nodes");
const suites = [
  "src/sdk",
  "test/sdk",
  "src/daemon",
  "test/daemon",
  "src/install",
  "src/cli",
  "src/replay",
  "test/replay",
];

const isMajor = (word) => /^\d+$/.test(word);
const words = process.argv.slice(2);
const majors = words.some(isMajor) ? words.filter(isMajor) : ["22", "24"];
const paths = words.some((word) => !isMajor(word)) ? words.filter((word) => !isMajor(word)) : suites;

const told = majors.map(test);
process.stdout.write(`\nOther versions of Node\n${told.map(({ line }) => `  ${line}\n`).join("")}`);
process.exitCode = told.some(({ failed }) => failed) ? 1 : 0;

function test(major) {
  const node = fetchNode(major);
  if (node === undefined) return { line: `skipped  Node ${major}: the registry did not give it`, failed: false };
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  process.stdout.write(`\n— Node ${version}\n`);
  // Real processes under real deadlines: one more try tells bad luck from a fault.
  const vitest = [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--retry=1", ...paths];
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const { status } = spawnSync(node, vitest, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
  return { line: `${status === 0 ? "ok     " : "FAILED "}  Node ${version}`, failed: status !== 0 };
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
