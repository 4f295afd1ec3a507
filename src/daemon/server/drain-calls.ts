import type { WarmApp } from "./warm-app.ts";

/** How long calls that have begun may go on once their server is to leave. */
const drainMs = 5_000;
/** And how long handlers have that listen to their signal. */
const lastWordMs = 500;

/** Waits for the calls an app has; those that take too long are told that nobody waits any more, and get a last word. */
export async function drained(app: WarmApp, ending: AbortController): Promise<void> {
  await idle(app, drainMs);
  if (app.open === 0) return;
  ending.abort();
  await idle(app, lastWordMs);
}

async function idle(app: WarmApp, withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (app.open > 0 && performance.now() < until) await new Promise((done) => setTimeout(done, 20));
}
