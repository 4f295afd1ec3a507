import { sweepState } from "./state-files.ts";

/** The program that removes old state: `sweeper.js FOLDER`. */
await sweepState(process.argv[2] ?? "", Date.now());
