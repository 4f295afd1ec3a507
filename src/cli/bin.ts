#!/usr/bin/env node
import { processIo } from "./io.ts";
import { main } from "./main.ts";

const { io, flush } = processIo(process);
process.exitCode = await main(process.argv.slice(2), io);
await flush();
