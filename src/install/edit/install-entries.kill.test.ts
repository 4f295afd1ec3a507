import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { randomFrom } from "../../../test/fuzz/random.ts";
import { seed, sized } from "../../../test/size.ts";
import { endOf, killNow, type Program, startFixture } from "../../files/fixtures/programs.ts";
import { type World, world } from "../fixtures/world.ts";

const trials = sized(10, 200);
const random = randomFrom(seed);
const loop = join(import.meta.dirname, "../fixtures/install-loop.mjs");
const old = '{\n\t"permissions": { "deny": [] },\n  "hooks": { "Stop": [] }   }';

function started({ project, state }: World, count: number): Program {
  const program = startFixture(loop, [project, state, String(count)]);
  onTestFinished(() => void program.kill("SIGKILL"));
  return program;
}

/** The first output; a program that ends before it has failed. */
async function firstOutput(program: Program): Promise<void> {
  const ended = once(program, "exit").then(([code]) => Promise.reject(new Error(`it ended early with ${code}`)));
  await Promise.race([once(program.stdout, "data"), ended]);
  ended.catch(() => undefined);
}

test(`kill -9 at ${trials} moments of installing and uninstalling leaves the old or the new file, and the way back stays open`, async () => {
  const here = world();
  const file = join(here.project, ".claude", "settings.local.json");
  writeFileSync(file, old);
  const seen = new Set<string>();
  for (let n = 0; n < trials; n++) {
    const program = started(here, 1_000_000);
    await firstOutput(program);
    await sleep(random.below(120));
    await killNow(program);
    seen.add(readFileSync(file, "utf8"));
  }
  // Chance may meet the same of the two every time.
  const [installed, ...others] = [...seen].filter((text) => text !== old);
  expect(others).toEqual([]);
  if (installed !== undefined) expect(installed).toContain("/opt/hookline/dist/cli/bin.cjs");
  await endOf(started(here, 1));
  expect(readFileSync(file, "utf8")).toBe(old);
  expect(readdirSync(join(here.project, ".claude")).sort()).toEqual(["hooks.mjs", "settings.local.json"]);
  expect(existsSync(join(here.state, "installs")) && readdirSync(join(here.state, "installs"))).toEqual([]);
});

const stride = sized(7, 1);
const killedAt = join(import.meta.dirname, "../fixtures/killed-at.mjs");

test(`killed before ${stride === 1 ? "every change" : `one in ${stride} changes`} of the disk, the file and its mode are the old or the new, and the way back stays open`, async () => {
  for (const isNew of [false, true]) {
    const here = world();
    const file = join(here.project, ".claude", "settings.local.json");
    if (!isNew) writeFileSync(file, old, { mode: 0o640 });
    const textNow = () => (existsSync(file) ? readFileSync(file, "utf8") : undefined);
    const before = textNow();
    let moments = 0;
    // Another half of the moments for each, so that a short run covers as many as it can.
    for (let k = 1 + (isNew ? Math.floor(stride / 2) : 0); ; k += stride) {
      const program = startFixture(killedAt, [here.project, here.state, "1", String(k)]);
      onTestFinished(() => void program.kill("SIGKILL"));
      await once(program, "exit");
      if (program.signalCode === null) break;
      moments += 1;
      const text = textNow();
      if (text !== before) expect(JSON.parse(text ?? "")).toMatchObject({ hooks: { Stop: [{ hooks: [{}] }] } });
      if (!isNew) expect(statSync(file).mode & 0o777).toBe(0o640);
      await endOf(started(here, 1));
      const left = [
        textNow(),
        readdirSync(join(here.project, ".claude")).sort(),
        readdirSync(join(here.state, "installs")),
      ];
      expect(left).toEqual([before, isNew ? ["hooks.mjs"] : ["hooks.mjs", "settings.local.json"], []]);
    }
    expect(moments * stride).toBeGreaterThan(60 - stride);
  }
});

const edits = sized(20, 200);
const ruleWriter = join(import.meta.dirname, "../../engine/settings/fixtures/rule-writer.mjs");

test(`twelve writers of one rule each and one that installs and uninstalls ${edits} times lose nothing, nor do two times ${edits} edits`, async () => {
  const here = world();
  const file = join(here.project, ".claude", "settings.local.json");
  writeFileSync(file, old);
  const writers = Array.from({ length: 12 }, (_, n) => startFixture(ruleWriter, [file, `Writer${n}`, "1"]));
  const many = startFixture(ruleWriter, [file, "Many", String(edits)]);
  await Promise.all([...writers, many, started(here, edits)].map(endOf));
  const text = readFileSync(file, "utf8");
  const { permissions, hooks } = JSON.parse(text) as {
    permissions: { deny: string[] };
    hooks: object;
  };
  const wanted = [
    ...Array.from({ length: 12 }, (_, n) => `Writer${n}(0)`),
    ...Array.from({ length: edits }, (_, n) => `Many(${n})`),
  ];
  expect([...permissions.deny].sort()).toEqual(wanted.sort());
  expect([hooks, text.startsWith('{\n\t"permissions"'), text.endsWith("   }")]).toEqual([{ Stop: [] }, true, true]);
});
