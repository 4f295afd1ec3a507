import { type Answer, stripControl, type Verdict, type Warning } from "../protocol/index.ts";
import type { Finished } from "./finish.ts";
import { spill } from "./spill.ts";
import { spillFolder } from "./spill-folder.ts";
import type { Services } from "./world.ts";

/** Long texts put into files of the session, texts for the person stripped of what a terminal would act on. */
export async function shorten(
  { answer, warnings }: Finished,
  sessionId: string,
  services: Services,
): Promise<Finished> {
  const folder = spillFolder(services.options, sessionId);
  const found: Warning[] = [...warnings];
  async function short(text: string): Promise<string> {
    const { text: kept, warning } = await spill(text, folder);
    if (warning !== undefined) found.push(warning);
    return kept;
  }
  const { context, messages, verdict, stop, output } = answer;
  const instructions = output?.customInstructions;
  const finished: Answer = {
    ...answer,
    verdict: await withReason(verdict, short),
    ...(context ? { context: await Promise.all(context.map(short)) } : {}),
    ...(messages ? { messages: await Promise.all(messages.map((text) => short(stripControl(text)))) } : {}),
    ...(stop?.reason ? { stop: { reason: await short(stripControl(stop.reason)) } } : {}),
    ...(instructions ? { output: { ...output, customInstructions: await short(instructions) } } : {}),
  };
  return { answer: finished, warnings: found };
}

async function withReason(verdict: Verdict, short: (text: string) => Promise<string>): Promise<Verdict> {
  if (verdict.kind === "none" || verdict.reason === undefined) return verdict;
  return { ...verdict, reason: await short(verdict.reason) };
}
