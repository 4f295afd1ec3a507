import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/interop/**/*.test.ts"],
    root: `${import.meta.dirname}/../..`,
    globalSetup: ["test/temp-folder.ts", "test/interop/setup.ts"],
    reporters: ["minimal", "./test/interop/summary.ts"],
    // Clients side by side; each has a home, a project and an API of its own.
    maxConcurrency: 3,
    testTimeout: 120_000,
    // Finding Claude Code may mean downloading it.
    hookTimeout: 300_000,
  },
});
