import type { Outcome } from "../../../src/protocol/internal.ts";
import type { Sight } from "../facts.ts";
import type { Occasion, SeenRun } from "../occasion.ts";
import { modelTexts, unquoted, userTexts } from "../texts.ts";

/** A prompt was typed. A refused one never reaches the model, and its reason goes to the user. */
export const promptSubmit: Occasion = {
  drive: (scene) => ({ prompt: String(scene.payload["prompt"]), script: { main: ["Done."] } }),
  seen: (run, scene) => seenPrompt(run, scene.event),
  carriedOut: async ({ fire }) => sentOrNot(await fire()),
};

/** A custom command was typed and is about to be expanded. The command's file is in the case. */
export const promptExpansion: Occasion = { ...promptSubmit };

function seenPrompt(run: SeenRun, event: string): Sight {
  const went = run.requests.some((request) => request.purpose === "main");
  const text = unquoted(String(run.results.at(-1)?.result ?? ""), run);
  return { went, reason: went ? undefined : hooksWords(text, event), model: modelTexts(run), user: userTexts(run) };
}

function sentOrNot(outcome: Outcome): Sight {
  const { blocked, reason, additionalContext, systemMessages } = outcome;
  return {
    went: !blocked,
    reason: blocked ? reason : undefined,
    model: blocked ? [] : additionalContext,
    user: systemMessages,
  };
}

function hooksWords(text: string, event: string): string {
  return text
    .replace(`${event} operation blocked by hook:\n`, "")
    .replace("Operation stopped by hook: ", "")
    .replace(/\n\nOriginal prompt: [\s\S]*$/, "");
}
