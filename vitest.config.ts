import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const src = `${import.meta.dirname}/src`;

export default defineConfig({
  // Examples import the package by its name; their tests run against the sources of now.
  resolve: {
    alias: {
      "hookline/sdk": `${src}/sdk/index.ts`,
      "hookline/testing": `${src}/sdk/testing/index.ts`,
      "hookline/permissions": `${src}/permissions/index.ts`,
      "hookline/usage": `${src}/usage/index.ts`,
    },
  },
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    exclude: ["test/interop/**", "test/soak/**", "**/node_modules/**"],
    // Many tests wait for processes more than they work, so even two cores take three files at a time.
    maxWorkers: Math.max(3, availableParallelism()),
    globalSetup: ["test/temp-folder.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
