import type { Answer, Verdict, Warning } from "../protocol/index.ts";
import type { ConfiguredHook } from "./configured.ts";
import { mostContextChars, stripControl } from "./display.ts";
import type { Firing, World } from "./firing.ts";
import type { Soon } from "./soon.ts";
import { spill } from "./spill.ts";
import { checkWorktree } from "./worktree.ts";

export interface Finished {
  readonly answer: Answer;
  readonly warnings: readonly Warning[];
}

/** What an answer still needs from the outside world: a folder checked, long texts put into files. Nothing, for nearly all. */
export function finishAnswer(answer: Answer, hook: ConfiguredHook, firing: Firing, world: World): Soon<Finished> {
  if (hook.row.special.answersPath) {
    return checkWorktree(answer, firing, world, hook.ref).then((placed) => shortened(placed, firing, world));
  }
  return shortened({ answer, warnings: [] }, firing, world);
}

function shortened(placed: Finished, firing: Firing, world: World): Soon<Finished> {
  return needsShortening(placed.answer)
    ? shorten(placed, world.spillFolder(String(firing.payload["session_id"])))
    : placed;
}

async function shorten({ answer, warnings }: Finished, folder: string): Promise<Finished> {
  const found: Warning[] = [...warnings];
  async function short(text: string): Promise<string> {
    const { text: kept, warning } = await spill(text, folder);
    if (warning !== undefined) found.push(warning);
    return kept;
  }
  const { context, messages, verdict, stop } = answer;
  const finished: Answer = {
    ...answer,
    verdict: await withReason(verdict, short),
    ...(context ? { context: await Promise.all(context.map(short)) } : {}),
    ...(messages ? { messages: await Promise.all(messages.map((text) => short(stripControl(text)))) } : {}),
    ...(stop?.reason ? { stop: { reason: await short(stripControl(stop.reason)) } } : {}),
  };
  return { answer: finished, warnings: found };
}

function needsShortening({ verdict, context, messages, stop }: Answer): boolean {
  const reason = verdict.kind === "none" ? undefined : verdict.reason;
  const isLong = (text: string | undefined): boolean => text !== undefined && text.length > mostContextChars;
  return messages !== undefined || stop?.reason !== undefined || isLong(reason) || (context?.some(isLong) ?? false);
}

async function withReason(verdict: Verdict, short: (text: string) => Promise<string>): Promise<Verdict> {
  if (verdict.kind === "none" || verdict.reason === undefined) return verdict;
  return { ...verdict, reason: await short(verdict.reason) };
}
