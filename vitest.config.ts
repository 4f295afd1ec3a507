import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const src = `${import.meta.dirname}/src`;

/** These count descriptors, memory, timers or signals of the process they run in, change its environment or its way out, or load modules anew. */
const alone = [
  "src/exec/**/*.test.ts",
  "src/engine/runners/**/*.test.ts",
  "src/engine/background.test.ts",
  "src/sessions/{follow,lines}.test.ts",
  "src/sdk/{names,run-app,serve-app}.test.ts",
  "src/cli/signals.test.ts",
  "test/engine/{cancel,floods,payloads}.test.ts",
  "test/{fuzz,hostile}/**/*.test.ts",
  "test/sdk/{kept-code,no-esbuild,run}.test.ts",
  "test/security/trust.test.ts",
];

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
    projects: [
      { extends: true, test: { name: "alone", include: alone } },
      // A process for each file costs more than most of these files.
      {
        extends: true,
        test: {
          name: "together",
          include: ["{src,test}/**/*.test.ts"],
          exclude: [...alone, "test/interop/**"],
          isolate: false,
        },
      },
    ],
    // Many tests wait for processes more than they work, so even two cores take three files at a time.
    maxWorkers: Math.max(3, availableParallelism()),
    globalSetup: ["test/temp-folder.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
