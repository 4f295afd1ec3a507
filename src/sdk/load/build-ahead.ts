import { rm } from "node:fs/promises";
import { buildAhead, endBuilds } from "./build-app.ts";

/**
 * The program that builds a hooks file for the starts to come: `build-ahead.js FILE NOTE`. The note says that it is tried; it goes when
 * there is a record, and stays for a while when we do not come that far, for then the next try would hardly either.
 */
const [, , file = "", note = ""] = process.argv;
setTimeout(() => process.exit(1), 60_000).unref();
await buildAhead(file, process.env);
await rm(note, { force: true });
await endBuilds();
