import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { longParts } from "./test/long-parts.ts";
import { SlowestFirst } from "./test/slowest-first.ts";

const src = `${import.meta.dirname}/src`;

/** Examples import the package by its name; their tests run against the sources. */
export const alias = {
  "hookline/sdk": `${src}/sdk/index.ts`,
  "hookline/testing": `${src}/sdk/testing/index.ts`,
  "hookline/permissions": `${src}/permissions/index.ts`,
  "hookline/usage": `${src}/usage/index.ts`,
};

/** These count descriptors, timers or signals of their process, change its environment, or load modules again. */
const ownProcess = [
  "src/exec/**/*.test.ts",
  "src/engine/runners/**/*.test.ts",
  "src/sessions/read/{follow-session,read-lines}.test.ts",
  "src/sdk/{app/names,run/run-app,run/serve-app}.test.ts",
  "src/cli/{command-line/signals,no-client}.test.ts",
  "test/engine/{cancel,early-conditions,payloads}.test.ts",
  "test/fuzz/**/*.test.ts",
  "test/sdk/{kept-code,no-esbuild,run}.test.ts",
  "test/security/trust.test.ts",
];

/** The reference agent: sessions with watchers, processes and timers. Its files share processes with each other only. */
const agent = ["src/agent/**/*.test.ts", "test/agent/**/*.test.ts"];

/** Run by `npm run test:long`. */
const long = [`**/*.{${longParts.join(",")}}.test.ts`, "test/interop/**"];

export default defineConfig({
  resolve: { alias },
  test: {
    projects: [
      { extends: true, test: { name: "process", include: ownProcess, exclude: long } },
      // A process for each file costs more than most of these files.
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{src,test}/**/*.test.ts"],
          exclude: [...ownProcess, ...agent, ...long],
          isolate: false,
        },
      },
      { extends: true, test: { name: "agent", include: agent, exclude: long, isolate: false } },
    ],
    // Many tests wait for processes more than they work, so even two cores take three files at a time.
    maxWorkers: Math.max(3, availableParallelism()),
    sequence: { sequencer: SlowestFirst },
    globalSetup: ["test/temp-folder.ts"],
    setupFiles: ["test/setup.ts"],
    // For tests that hang. No test may depend on the speed of the machine.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
  },
});
