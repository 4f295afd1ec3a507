import type { HomeSource } from "../../../files/internal.ts";
import type { HttpHook } from "../../../protocol/index.ts";
import { unanswered } from "../ended.ts";
import { type Limit, waitFor } from "../run-limits.ts";
import type { Ran } from "../runner-result.ts";
import type { UrlPolicy } from "./destination.ts";
import type { Resolve } from "./resolve.ts";

export interface HttpCall extends Limit {
  /** The payload as JSON, without a newline. */
  readonly body: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly policy: HttpPolicy;
  readonly version: string;
  /** Where the records of daemons are; this process's own places by default. */
  readonly home?: HomeSource;
  /** Finds a name's addresses; the system's own way unless given. Asked at most once. */
  readonly resolve?: Resolve;
}

export interface HttpPolicy extends UrlPolicy {
  /** Variables that headers may name; `null` restricts nothing. */
  readonly allowedEnvVars: readonly string[] | null;
}

/** Contract: resolves by the deadline whatever the server does, name lookup and the last byte included. */
export async function runHttp(hook: HttpHook, call: HttpCall): Promise<Ran> {
  // Loaded when the first http hook runs: network code is a large part of what importing the engine would cost.
  const waited = await waitFor(async (signal) => {
    const { post } = await import("./post.ts");
    return post(hook, call, signal);
  }, call);
  return waited.by === "answered" ? waited.value : unanswered(waited, call);
}
