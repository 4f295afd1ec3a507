import { buildAhead, endBuilds } from "./build.ts";

/** The program that builds a hooks file for the starts to come: `build-ahead.js FILE`. */
await buildAhead(process.argv[2] ?? "", process.env);
await endBuilds();
