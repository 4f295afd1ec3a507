import type { Sight } from "../facts.ts";
import type { Drive, EngineHands, Occasion, SeenRun } from "../occasion.ts";
import { modelTexts, userTexts } from "../texts.ts";

/** A session begins, or is taken up again. */
export const sessionStart: Occasion = {
  drive: (scene) => ({ ...plain, ...(scene.payload["source"] === "resume" ? { before: plain } : {}) }),
  seen: heard,
  carriedOut: listen,
};

export const setup: Occasion = {
  drive: (scene) => ({ ...plain, args: [scene.payload["trigger"] === "init" ? "--init" : "--maintenance"] }),
  seen: heard,
  carriedOut: listen,
};

/** Events that only notify hooks: what counts is which of them ran. */
export const notice: Occasion = { drive: () => plain, seen: heard, carriedOut: listen };

/** Instead of Stop, after an API error. The client starts these hooks together with its result, so it must not end with the result. */
export const stopFailure: Occasion = {
  ...notice,
  drive: (scene) => ({
    prompt: "Go.",
    script: { main: [{ status: statusOf[String(scene.payload["error"])] ?? 500 }] },
    user: { afterMs: 0, answer: () => ({ behavior: "deny", message: "No." }), staysMs: 1500 },
  }),
};

/** The shell's folder changed. */
export const cwdChanged: Occasion = {
  ...notice,
  drive: () => ({
    prompt: "Go.",
    script: {
      main: [
        { tool: "Bash", input: { command: "cd sub" } },
        { tool: "Bash", input: { command: "sleep 0.5" } },
        "Done.",
      ],
    },
    args: ["--allowedTools", "Bash"],
  }),
};

/** Text on its way to the screen; a headless run shows it as its result. */
export const messageDisplay: Occasion = {
  drive: (scene) => ({ prompt: "Go.", script: { main: [String(scene.payload["delta"])] } }),
  seen: (run) => ({ went: true, model: [], user: [String(run.results.at(-1)?.result)] }),
  async carriedOut({ fire }, scene) {
    const { output } = await fire();
    return { went: true, model: [], user: [output.displayContent ?? String(scene.payload["delta"])] };
  },
};

const plain: Drive & { readonly prompt: string } = { prompt: "Go.", script: { main: ["Done."] } };

const statusOf: Readonly<Record<string, number>> = {
  authentication_failed: 401,
  model_not_found: 404,
  rate_limit: 429,
  server_error: 529,
};

function heard(run: SeenRun): Sight {
  return { went: true, model: modelTexts(run), user: userTexts(run) };
}

async function listen({ fire }: EngineHands): Promise<Sight> {
  const { additionalContext, systemMessages } = await fire();
  return { went: true, model: additionalContext, user: systemMessages };
}
