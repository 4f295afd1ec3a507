import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Script } from "node:vm";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type BundledPackage, bundlePackage } from "./bundled.ts";
import { denial, event, guard } from "./guard-app.ts";

let world: BundledPackage;
let file: string;
beforeAll(async () => {
  world = await bundlePackage();
  file = world.file("hooks.ts", guard);
});
afterAll(() => world.remove());

const denied = { code: 0, stdout: denial("no"), stderr: "" };

const builds = (state = "state") => join(world.folder, state, "builds");
const keptIn = (state?: string) => readdirSync(builds(state)).filter((name) => name.startsWith("program-"));
const kept = () => join(builds(), keptIn()[0] ?? "none");

/** What Node says of the code in the first copy, and whether the second is the same. */
function codeIn(path: string): { taken: boolean; same: boolean } {
  const both = readFileSync(path);
  const [one, two] = [both.subarray(0, both.length / 2), both.subarray(both.length / 2)];
  const text = readFileSync(join(world.folder, "package/dist/cli/program.cjs"), "utf8");
  const cachedData = one.subarray(one.indexOf("\n") + 1);
  return { taken: new Script(text, { cachedData }).cachedDataRejected === false, same: one.equals(two) };
}

test("the second start of a file leaves the compiled program behind, and those after it take it", async () => {
  expect(await world.run([file], event())).toEqual(denied);
  expect(keptIn()).toEqual([]);
  expect(await world.run([file], event())).toEqual(denied);
  const before = readFileSync(kept());
  expect(codeIn(kept())).toEqual({ taken: true, same: true });
  expect(await world.run([file], event())).toEqual(denied);
  expect(readFileSync(kept()).equals(before)).toBe(true);
  // The same program as it was taken loads other parts on demand.
  const odd = world.file("odd.ts", `${guard}app.preTool("Bash", async (_, { state }) => state.set("a", 1));`);
  expect((await world.run([odd], event({ tool_input: { command: "ls" } }))).code).toBe(0);
});

test("code of a program that has changed since is not taken but replaced", async () => {
  const program = join(world.folder, "package/dist/cli/program.cjs");
  const changedAt = (): unknown => JSON.parse(readFileSync(kept(), "utf8").split("\n")[0] ?? "")[0][1];
  const before = changedAt();
  utimesSync(program, 1_000, 1_000);
  expect(await world.run([file], event())).toEqual(denied);
  expect([before === 1_000_000, changedAt()]).toEqual([false, 1_000_000]);
});

test("a damaged code cache is discarded and rebuilt", async () => {
  const good = readFileSync(kept());
  const flipped = Buffer.from(good);
  flipped.fill(0x55, 5_000, 5_400);
  for (const bytes of [flipped, good.subarray(0, 1_001), Buffer.alloc(0)]) {
    writeFileSync(kept(), bytes);
    expect(await world.run([file], event())).toEqual(denied);
    expect(codeIn(kept())).toEqual({ taken: true, same: true });
  }
});

test("code that others may write, or that a link leads to, is not taken; what Node does not know is compiled", async () => {
  const [path, good] = [kept(), readFileSync(kept())];
  const marked = Buffer.alloc(good.length, "no code");
  writeFileSync(path, marked);
  expect(await world.run([file], event())).toEqual(denied);
  chmodSync(path, 0o666);
  expect(await world.run([file], event())).toEqual(denied);
  rmSync(path);
  writeFileSync(join(world.folder, "elsewhere"), good);
  symlinkSync(join(world.folder, "elsewhere"), path);
  expect(await world.run([file], event())).toEqual(denied);
  rmSync(path);
});

test("no compiled code is kept when the cache is disabled, or where it cannot be written", async () => {
  const off = { NODE_DISABLE_COMPILE_CACHE: "1", HOOKLINE_HOME: join(world.folder, "off") };
  for (const _ of ["first", "second"]) expect(await world.run([file], event(), { env: off })).toEqual(denied);
  expect(keptIn("off")).toEqual([]);
  const { code, stdout } = await world.run([file], event(), { env: { HOOKLINE_HOME: "/proc/hookline" } });
  expect([code, stdout, existsSync("/proc/hookline")]).toEqual([0, denial("no"), false]);
});

test("many second starts at once keep one, and each is answered", async () => {
  const starts = Array.from({ length: 6 }, () => world.run([file], event()));
  expect(await Promise.all(starts)).toEqual(starts.map(() => denied));
  expect(keptIn()).toHaveLength(1);
  expect(codeIn(kept())).toEqual({ taken: true, same: true });
  expect(readdirSync(builds()).filter((name) => name.endsWith("hookline-tmp"))).toEqual([]);
});
