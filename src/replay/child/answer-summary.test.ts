import { expect, test } from "vitest";
import { createApp, type WirePayload } from "../../sdk/index.ts";
import { appRuntime, type RunEnvironment } from "../../sdk/internal.ts";
import { fixtures, memoryState } from "../../sdk/testing/index.ts";
import { replayAnswer } from "./answer-summary.ts";

const world: RunEnvironment = {
  ...{ env: {}, cwd: "/", replay: true, now: () => 0, openTranscript: async () => undefined, state: memoryState() },
  ...{ signal: new AbortController().signal, complain: () => undefined },
};

test("an error of the permission model is a refused effect, in the wording of every version of Node", async () => {
  for (const hint of ["", ". Use --allow-fs-write to manage permissions."]) {
    const app = createApp().preTool({ name: "guard", onFailure: "block" }, () => {
      throw new Error(`Access to this API has been restricted${hint}`);
    });
    const settled = await appRuntime(app)?.dispatch(fixtures.PreToolUse() as unknown as WirePayload, world);
    const answer = settled && replayAnswer(settled, { effects: [], tasks: [], uncaughtErrors: [] });
    expect(answer).toMatchObject({ decision: "effect-refused", handlers: [{ outcome: "effect-refused" }] });
  }
});
