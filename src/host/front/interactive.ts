import type { RunAgentOptions } from "../options.ts";
import type { FrontIo } from "./front-io.ts";

/** A line prompt. */
export async function runInteractive(_options: RunAgentOptions, _io: FrontIo): Promise<number> {
  return 1;
}
