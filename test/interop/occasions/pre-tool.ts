import type { Outcome } from "../../../src/protocol/internal.ts";
import type { Occasion, Scene, SeenRun } from "../occasion.ts";
import { modelTexts, toolResults, userTexts } from "../texts.ts";
import { performTool } from "../tool.ts";
import { serverArgs } from "./elicitation.ts";

/** A tool is about to run. The run is non-interactive, so whatever would be asked is denied. */
export const preTool: Occasion = {
  drive: (scene) => ({
    prompt: "Go.",
    script: { main: [{ tool: toolOf(scene), input: inputOf(scene) }, "Done."] },
    args: [...(needsServer(scene) ? serverArgs : []), ...permissionsOf(scene)],
  }),

  seen(run, scene) {
    const refusal = toolResults(run).find((result) => result.isError);
    const ended = run.results.at(-1)?.terminal_reason;
    return {
      went: toolResults(run).length > 0 && refusal === undefined,
      reason: refusal && hooksWords(refusal.text, scene),
      ...(ended === "hook_stopped" ? { stopped: true } : {}),
      ...(ended === "tool_deferred" ? { deferred: true } : {}),
      model: modelTexts(run),
      user: userTexts(run),
    };
  },

  async carriedOut({ fire, late }, scene) {
    const outcome = await fire();
    const went = outcome.decision === "allow" || (outcome.decision === "none" && scene.interop.permitted !== false);
    const output = went ? performTool(toolOf(scene), outcome.updatedInput ?? inputOf(scene), scene.project) : "";
    const reason = refusalOf(outcome);
    const words = reason === undefined ? [] : [reason];
    return {
      went,
      reason,
      ...(outcome.continue ? {} : { stopped: true }),
      ...(outcome.decision === "defer" ? { deferred: true } : {}),
      model: outcome.decision === "defer" ? [] : [...words, output, ...outcome.additionalContext, ...(await late())],
      user: outcome.systemMessages,
    };
  },
};

export function toolOf(scene: Scene): string {
  return String(scene.payload["tool_name"]);
}

export function inputOf(scene: Scene): Readonly<Record<string, unknown>> {
  return scene.payload["tool_input"] as Readonly<Record<string, unknown>>;
}

/** Its own tool, or one that a hook of the case calls. */
function needsServer(scene: Scene): boolean {
  return toolOf(scene).startsWith("mcp__srv__") || scene.interop.server === true;
}

function permissionsOf(scene: Scene): string[] {
  return scene.interop.permitted === false ? [] : ["--allowedTools", toolOf(scene)];
}

/** Without the client's own words in front of a hook's; undefined when the client refused by itself. */
function hooksWords(text: string, scene: Scene): string | undefined {
  if (ownRefusals.some((own) => own.test(text))) return undefined;
  return text.replace(`PreToolUse:${toolOf(scene)} hook error: `, "").replace("Agent hook condition was not met: ", "");
}

const ownRefusals = [
  /^Claude requested permissions to/,
  /^This command requires approval/,
  /^Permission to use .* has been denied/,
  /was blocked\. For security,/,
  / needs approval\. The path is /,
];

/** A hook's words; undefined when a rule refused, in words of its own. */
function refusalOf({ decision, reason, runs }: Outcome): string | undefined {
  if (decision !== "deny" && decision !== "ask") return undefined;
  return runs.some(({ verdict }) => verdict.kind === decision) ? reason : undefined;
}

export function stoppedByHook(run: SeenRun): boolean {
  return run.results.at(-1)?.terminal_reason === "hook_stopped";
}
