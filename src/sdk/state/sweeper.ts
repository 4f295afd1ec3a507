import { sweepState } from "./sweep.ts";

/** The program that clears away old state: `sweeper.js FOLDER`. */
await sweepState(process.argv[2] ?? "", Date.now());
