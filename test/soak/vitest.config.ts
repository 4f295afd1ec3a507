import { defineConfig } from "vitest/config";

/** The long suites, each behind an npm script of its own. */
export default defineConfig({
  test: {
    root: "test/soak",
    include: ["**/*.soak.ts"],
    globalSetup: ["../temp-folder.ts"],
    testTimeout: 3_600_000,
    fileParallelism: false,
  },
});
