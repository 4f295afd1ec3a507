import { defineConfig } from "vitest/config";
import { longParts } from "./test/long-parts.ts";
import { alias } from "./vitest.config.ts";

/** One project for each part of the long suite that has test files. `scripts/test-long.mjs` selects them. */
export default defineConfig({
  resolve: { alias },
  test: {
    projects: longParts.map((name) => ({
      extends: true,
      test: {
        name,
        include: [`{src,test}/**/*.${name}.test.ts`],
        isolate: name !== "agent",
        // None of its tests has trials, so a test that takes longer hangs and must be named before the part is killed.
        ...(name === "program" ? { testTimeout: 180_000, hookTimeout: 120_000 } : {}),
      },
    })),
    globalSetup: ["test/temp-folder.ts"],
    setupFiles: ["test/setup.ts"],
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
});
