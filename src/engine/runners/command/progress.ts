import { messageOf } from "../../../protocol/index.ts";
import type { HookRun } from "../../fire.ts";
import { tellHost } from "../../tell-host.ts";
import type { StartedCommand } from "./start.ts";

/**
 * Reports to the event's progress listener what a hook has printed so far, while it runs: at most once per interval, and only what is new.
 * Returns the end of it. Contract: what the listener throws is a warning and ends the reporting, nothing else.
 */
export function watchProgress({ event, hook: { ref } }: HookRun, { running }: StartedCommand): () => void {
  const { progress, services } = event;
  if (progress === undefined || running === undefined) return nothing;
  let told = 0;
  const timer = setInterval(() => {
    const { stdout, stderr } = running.soFar();
    if (stdout.length + stderr.length === told) return;
    told = stdout.length + stderr.length;
    tellHost(() => progress.tell({ hook: ref, stdout, stderr }), onThrow);
  }, progress.everyMs);
  const onThrow = (error: unknown): void => {
    clearInterval(timer);
    const message = `The progress listener threw: ${messageOf(error)}`;
    services.warn({ code: "observer-threw", message, place: ref.id });
  };
  timer.unref();
  return () => clearInterval(timer);
}

function nothing(): void {
  // no listener
}
