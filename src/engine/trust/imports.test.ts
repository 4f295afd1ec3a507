import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkoutWorld, hooksOn } from "../fixtures/checkout.ts";
import { openEngine, reviewTrust } from "../internal.ts";

/** A fake client that prints that it was called. */
const client = "#!/bin/sh\necho called\n";

async function installed() {
  const world = await checkoutWorld();
  await world.put("project/hookline-client", client);
  await world.put("project/hooks.ts", 'import "./lib.ts";\n');
  await world.put("project/lib.ts", "export {};\n");
  await world.put("project/.claude/settings.json", hooksOn("Stop", "sh ./hookline-client ./hooks.ts"));
  return world;
}

async function statusOf(options: Parameters<typeof openEngine>[0]): Promise<string> {
  const engine = await openEngine(options);
  try {
    const { runs, skipped } = await engine.fire("Stop", {});
    return runs[0]?.stdout.trim() ?? skipped[0]?.detail.split("; run hookline")[0] ?? "";
  } finally {
    await engine.close();
  }
}

test("the approval of an app covers its imports: a changed import is a changed hook", async () => {
  const { options, project, put } = await installed();
  const inputsOf = async () => ["hooks.ts", "lib.ts"].map((name) => join(project, name));
  const review = await reviewTrust(options, { inputsOf });
  expect(review.entries[0]?.files.map(({ path, imported }) => [path, imported])).toEqual([
    ["hookline-client", undefined],
    ["hooks.ts", undefined],
    ["lib.ts", undefined],
  ]);
  await review.pin(review.entries);
  expect(await statusOf(options)).toBe("called");
  expect((await reviewTrust(options, { inputsOf })).entries[0]?.state).toBe("trusted");

  await put("project/lib.ts", "export const x = 1;\n");
  expect(await statusOf(options)).toBe("lib.ts has changed since it was approved");
  await put("project/lib.ts", "export {};\n");
  expect(await statusOf(options)).toBe("called");
  await unlink(join(project, "lib.ts"));
  expect(await statusOf(options)).toBe("lib.ts has changed since it was approved");
});

test("a new file that an import would resolve to ends the approval, one elsewhere does not", async () => {
  const { options, project, put } = await installed();
  const inputsOf = async () => ["hooks.ts", "lib.ts"].map((name) => join(project, name));
  const review = await reviewTrust(options, { inputsOf });
  await review.pin(review.entries);
  await put("project/other.js", "");
  expect(await statusOf(options)).toBe("called");
  await put("project/lib.js", "");
  expect(await statusOf(options)).toBe("lib.js has changed since it was approved");
});

test("an app whose imports cannot be determined cannot be approved", async () => {
  const { options } = await installed();
  const inputsOf = () => Promise.reject(new Error("lib.ts:1: Unexpected end of file"));
  const [entry] = (await reviewTrust(options, { inputsOf })).entries;
  expect([entry?.digest, entry?.unusable]).toEqual([
    undefined,
    "its imports cannot be determined: lib.ts:1: Unexpected end of file",
  ]);
});
