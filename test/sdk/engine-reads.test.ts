import { expect, test } from "vitest";
import { readAnswer } from "../../src/engine/fire/read/read-answer.ts";
import { printed, runOf } from "../../src/engine/fixtures/answers.ts";
import { catalog, eventNames } from "../../src/protocol/internal.ts";
import * as sdk from "../../src/sdk/index.ts";
import { fixtures, testClient } from "../../src/sdk/testing/index.ts";

const said: Readonly<Record<string, sdk.Answer>> = {
  allow: sdk.allow("why"),
  ask: sdk.ask("why"),
  deny: sdk.deny("why"),
  defer: sdk.defer("why"),
  block: sdk.block("why", { hidePrompt: true }),
  halt: sdk.halt("why"),
  context: sdk.context("text"),
  updateInput: sdk.updateInput({ command: "ls" }),
  patchInput: sdk.patchInput({ command: "ls" }),
  updateOutput: sdk.updateOutput({
    stdout: "",
    stderr: "",
    interrupted: false,
    isImage: false,
    noOutputExpected: false,
  }),
  mapOutput: sdk.mapOutput(() => ""),
  approvePermission: sdk.approvePermission({ input: { command: "ls" } }),
  denyPermission: sdk.denyPermission("why", { interrupt: true }),
  retry: sdk.retry(),
  sessionTitle: sdk.sessionTitle("title"),
  watchPaths: sdk.watchPaths("/a"),
  initialUserMessage: sdk.initialUserMessage("begin"),
  display: sdk.display("shown"),
  elicit: sdk.elicit("accept", { name: "Ada" }),
  worktree: sdk.worktree(process.cwd()),
  systemMessage: sdk.systemMessage("told"),
};

/** Where an event's form has no place for an answer, or another one, and what the engine gets instead. */
const elsewhere: Readonly<Record<string, object>> = {
  "PreCompact context": { additionalContext: [] },
  "DirectoryAdded systemMessage": { additionalContext: ["told"], systemMessages: [] },
  "WorktreeCreate block": { decision: "none", failure: "exited with code 1: why" },
  "WorktreeCreate systemMessage": { systemMessages: [] },
};

test.each(eventNames)(
  "the engine reads an app's answer to %s without a warning, as the test client shows it",
  async (name) => {
    for (const kind of [...catalog[name].app.answers, "systemMessage"]) {
      const app = sdk.createApp().on(name as string, () => said[kind] as never);
      const shown = await testClient(app).send(name);
      const payload = fixtures[name]() as unknown as Record<string, unknown>;
      const ran = printed(shown.exitCode, shown.stdout, shown.stderr);
      const { answer, warnings } = readAnswer(ran, runOf(name, { payload }));
      const { decision, additionalContext, systemMessages, updatedInput, output } = shown;
      expect({
        kind,
        warnings,
        decision: answer.verdict.kind,
        additionalContext: answer.context ?? [],
        systemMessages: answer.messages ?? [],
        updatedInput: answer.input,
        output: answer.output ?? {},
        stops: answer.stop !== undefined && kind !== "denyPermission",
        failure: answer.failure,
      }).toEqual({
        ...{ kind, warnings: [], decision, additionalContext, systemMessages, updatedInput, output },
        ...{ stops: !shown.continue, failure: undefined },
        ...elsewhere[`${name} ${kind}`],
      });
    }
  },
);
