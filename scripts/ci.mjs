/** What guards main: the tests, the checks and every part of the long suite at CI size. Fails when one fails. Called by `.ci/run`. */
import { vitest } from "./long/parts.mjs";
import { runAll } from "./long/run-all.mjs";

await runAll({
  first: [
    { name: "ready", args: ["scripts/ready.mjs"], limitMinutes: 5 },
    { name: "test", args: [vitest, "run"], limitMinutes: 6 },
    { name: "check", args: ["scripts/check.mjs"], limitMinutes: 3 },
  ],
});
