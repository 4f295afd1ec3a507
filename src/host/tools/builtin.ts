import type { Tool } from "./tool.ts";
import type { WebFetchOptions } from "./web-options.ts";

export interface BuiltinOptions {
  /** WebFetch is offered only with this. */
  readonly webFetch?: WebFetchOptions;
}

/** The agent's own tools, but for those that start agents and those of servers. */
export function builtinTools(_options: BuiltinOptions = {}): readonly Tool[] {
  return [];
}
