#!/usr/bin/env node
import { join } from "node:path";
import { compileProgram } from "./compiled-program.ts";

// A hook is a process per call. Node starts a script in less time than a module, and a short one in less time than a long one.
compileProgram(join(__dirname, "program.cjs"), process.env).begin(process.argv.slice(2));
