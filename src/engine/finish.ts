import type { Answer, Warning } from "../protocol/index.ts";
import type { ConfiguredHook } from "./configured.ts";
import { mostContextChars } from "./display.ts";
import type { Firing } from "./firing.ts";
import type { Soon } from "./soon.ts";
import type { Services } from "./world.ts";

export interface Finished {
  readonly answer: Answer;
  readonly warnings: readonly Warning[];
}

/** What an answer still needs from the outside services: a folder checked, long texts put into files. Nothing, for nearly all. */
export function finishAnswer(answer: Answer, hook: ConfiguredHook, firing: Firing, services: Services): Soon<Finished> {
  const placed: Finished = { answer, warnings: [] };
  return hook.row.special.answersPath || needsShortening(answer) ? finish(placed, hook, firing, services) : placed;
}

async function finish(placed: Finished, hook: ConfiguredHook, firing: Firing, services: Services): Promise<Finished> {
  const { checkWorktree, shorten } = await import("./finish-files.ts");
  const checked = hook.row.special.answersPath
    ? await checkWorktree(placed.answer, firing, services, hook.ref)
    : placed;
  return needsShortening(checked.answer) ? shorten(checked, String(firing.payload["session_id"]), services) : checked;
}

function needsShortening({ verdict, context, messages, stop, output }: Answer): boolean {
  const reason = verdict.kind === "none" ? undefined : verdict.reason;
  const isLong = (text: string | undefined): boolean => text !== undefined && text.length > mostContextChars;
  if (messages !== undefined || stop?.reason !== undefined) return true;
  return isLong(reason) || isLong(output?.customInstructions) || (context?.some(isLong) ?? false);
}
