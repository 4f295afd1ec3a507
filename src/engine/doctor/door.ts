import type { EngineOptions } from "../options.ts";
import type { Finding } from "./finding.ts";

/** What is wrong with the hooks that apply in a folder, the worst first. Starts nothing and writes nothing. */
export async function diagnose(options: EngineOptions = {}): Promise<readonly Finding[]> {
  return (await import("./diagnose.ts")).diagnose(options);
}
