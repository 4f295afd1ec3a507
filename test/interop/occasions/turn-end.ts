import type { RequestPurpose } from "../../scripted-api/index.ts";
import type { Sight } from "../facts.ts";
import type { EngineHands, Occasion, SeenRun } from "../occasion.ts";
import { firstMatch, modelTexts, userTexts } from "../texts.ts";

/** The agent wants to end its turn. What counts is how often the model is called before it may. */
export const stop: Occasion = {
  drive: () => ({ prompt: "Go.", script: { main: () => "Done." } }),
  seen: (run) => seenEnd(run, "main"),
  carriedOut: ({ fire }) => loop(fire),
};

export const subagentStop: Occasion = {
  drive: (scene) => ({
    prompt: "Go.",
    script: { main: [launch(String(scene.payload["agent_type"])), "Done."], subagent: () => "Done." },
  }),
  seen: (run) => seenEnd(run, "subagent"),
  async carriedOut({ fire }) {
    // That a hook ended a subagent's turn is nothing the agent's own run tells.
    const { stopped: _, ...sight } = await loop(fire);
    return sight;
  },
};

export const subagentStart: Occasion = {
  drive: subagentStop.drive,
  seen: (run) => ({ went: true, model: modelTexts(run), user: userTexts(run) }),
  async carriedOut({ fire }) {
    const { additionalContext, systemMessages } = await fire();
    return { went: true, model: additionalContext, user: systemMessages };
  },
};

function launch(agentType: string): { tool: string; input: object } {
  return { tool: "Agent", input: { description: "a part", prompt: "Do a part.", subagent_type: agentType } };
}

function seenEnd(run: SeenRun, purpose: RequestPurpose): Sight {
  const rounds = run.requests.filter((request) => request.purpose === purpose).length;
  return {
    went: rounds === 1,
    rounds,
    reason: firstMatch(modelTexts(run), /Stop hook feedback:\n([\s\S]*?)(?=\n<\/system-reminder>|$)/),
    ...(run.results.at(-1)?.terminal_reason === "stop_hook_prevented" ? { stopped: true } : {}),
    model: modelTexts(run),
    user: userTexts(run),
  };
}

/** Asks until the agent may stop. A limit far above any cap keeps a mistake from running forever. */
async function loop(fire: EngineHands["fire"]): Promise<Sight> {
  const model: string[] = [];
  const user: string[] = [];
  let reason: string | undefined;
  for (let rounds = 1; ; rounds++) {
    const outcome = await fire({ last_assistant_message: "Done." });
    user.push(...outcome.systemMessages);
    if (!outcome.blocked || rounds > 40) {
      return { went: rounds === 1, rounds, reason, ...(outcome.continue ? {} : { stopped: true }), model, user };
    }
    if (outcome.decision === "deny") {
      reason ??= outcome.reason;
      model.push(outcome.reason ?? "");
    }
    model.push(...outcome.additionalContext);
  }
}
