import { resolve } from "node:path";
import { type Scope, type Standpoint, scopes } from "../install/index.ts";
import type { Call, Io, Option } from "./command.ts";
import { oneOf } from "./one-of.ts";

/** The options that install, uninstall and status share. */
export const scopeOptions: Readonly<Record<"scope" | "cwd" | "json", Option>> = {
  scope: {
    type: "string",
    value: "project|local|user",
    about: "which settings file: everybody's, yours here, yours everywhere",
  },
  cwd: { type: "string", value: "DIR", about: "the project folder (default: the nearest one from here up)" },
  json: { type: "boolean", about: "print one JSON object" },
};

/** The scope that was asked for; undefined when none was. */
export function scopeOf(call: Call): Scope | undefined {
  return oneOf("scope", call.text("scope"), scopes);
}

export function standpointOf(call: Call, io: Io): Standpoint {
  const cwd = call.text("cwd");
  const { home, env } = io;
  return { cwd: io.cwd, home, env, ...(cwd === undefined ? {} : { project: resolve(io.cwd, cwd) }) };
}
