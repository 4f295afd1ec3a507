import { type Mode, readMode } from "../../permissions/internal.ts";
import { Problem } from "../../protocol/internal.ts";
import type { ParsedCall } from "../command-line/command.ts";

/** The permission mode that an option names; undefined when the option was not given. */
export function permissionMode(call: ParsedCall, option: string): Mode | undefined {
  const name = call.text(option);
  const mode = readMode(name);
  if (name === undefined || mode !== undefined) return mode;
  const all = "default, acceptEdits, plan, dontAsk, bypassPermissions, auto";
  throw new Problem("cli/usage", `Unknown permission mode "${name}". Valid modes: ${all}.`);
}
