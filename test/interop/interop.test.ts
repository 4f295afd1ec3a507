import { describe, expect, inject, test } from "vitest";
import { loadCases } from "./case.ts";
import { runClient } from "./client.ts";
import { askClient } from "./client-side.ts";
import { type Comparison, compare, notRun } from "./compare.ts";
import { askEngine } from "./engine-side.ts";
import { wordsIn } from "./facts.ts";
import { modelTexts } from "./texts.ts";
import { claudeCodeVersion } from "./versions.ts";
import { makeWorld } from "./world.ts";

declare module "vitest" {
  interface TaskMeta {
    comparison?: Comparison;
  }
}

const client = inject("client");
const cases = loadCases();

describe.skipIf(client === "")("Claude Code and Hookline", () => {
  test("no case looks for words that Claude Code uses by itself", async () => {
    const world = await makeWorld();
    const call = { tool: "Bash", input: { command: "true" } };
    const run = await runClient({ client, world, prompt: "Go.", script: { main: [call, "Done."] } });
    await world.remove();
    const words = new Set(cases.flatMap(({ interop }) => interop.words ?? []));
    expect(wordsIn(modelTexts({ ...run, transcript: [], quoted: [] }), [...words])).toEqual([]);
  });

  test.concurrent.for(cases)("$name", async (item, { task, skip, expect: expectHere }) => {
    const why = notRun(item, claudeCodeVersion);
    if (why !== undefined) {
      task.meta.comparison = { kind: "not-run", why };
      skip(why);
    }
    const seen = await askClient(item, client);
    const comparison = compare(item, seen, await askEngine(item), claudeCodeVersion);
    task.meta.comparison = comparison;
    expectHere(comparison.kind === "difference" ? comparison.why : "").toBe("");
  });
});
