import { expect, test } from "vitest";
import { eventNames } from "../../protocol/internal.ts";
import { appRuntime } from "../app/app-runtime.ts";
import {
  allow,
  approvePermission,
  ask,
  block,
  context,
  createApp,
  defer,
  deny,
  display,
  elicit,
  halt,
  mapOutput,
  raw,
  retry,
  sessionTitle,
  systemMessage,
  updateInput,
  updateOutput,
  watchPaths,
  worktree,
} from "../index.ts";

// The compiler is the one that runs this test: each event has a line that it takes and one that it must not.
test("only the answers of an event type-check on it, and each event is tried", () => {
  const app = createApp();
  app.onSetup(() => context("c"));
  // @ts-expect-error nothing can be refused
  app.onSetup(() => block("r"));
  app.onSessionStart(() => [context("c"), watchPaths("/a"), sessionTitle("t")]);
  // @ts-expect-error it has no effect there
  app.onSessionStart(() => halt("r"));
  app.onInstructionsLoaded(() => raw({}));
  // @ts-expect-error
  app.onInstructionsLoaded(() => context("c"));
  app.onSessionEnd(() => systemMessage("m"));
  // @ts-expect-error
  app.onSessionEnd(() => context("c"));
  app.onPromptExpansion(() => block("r", { hidePrompt: true }));
  // @ts-expect-error
  app.onPromptExpansion(() => sessionTitle("t"));
  app.onPrompt(() => sessionTitle("t"));
  // @ts-expect-error the word there is block
  app.onPrompt(() => deny("r"));
  app.onMessageDisplay(() => display("d"));
  // @ts-expect-error
  app.onMessageDisplay(() => block("r"));
  app.preTool(() => [defer(), allow("r"), updateInput({}), halt("r")]);
  // @ts-expect-error the word there is deny
  app.preTool(() => block("r"));
  app.onPermission(() => approvePermission());
  // @ts-expect-error
  app.onPermission(() => allow("r"));
  app.onPermissionDenied(() => retry());
  // @ts-expect-error
  app.onPermissionDenied(() => deny("r"));
  app.postTool(() => [mapOutput((text) => text), block("r")]);
  // @ts-expect-error the tool has run
  app.postTool(() => deny("r"));
  app.postToolFailure(() => block("r"));
  // @ts-expect-error there is no output
  app.postToolFailure(() => updateOutput("o"));
  app.onToolBatch(() => halt("r"));
  // @ts-expect-error
  app.onToolBatch(() => ask("r"));
  app.onStop(() => block("r"));
  // @ts-expect-error
  app.onStop(() => deny("r"));
  app.onStopFailure(() => systemMessage("m"));
  // @ts-expect-error
  app.onStopFailure(() => block("r"));
  app.onSubagentStart(() => context("c"));
  // @ts-expect-error
  app.onSubagentStart(() => block("r"));
  app.onSubagentStop(() => context("c"));
  // @ts-expect-error
  app.onSubagentStop(() => display("d"));
  app.onTeammateIdle(() => block("r"));
  // @ts-expect-error
  app.onTeammateIdle(() => context("c"));
  app.onTaskCreated(() => block("r"));
  // @ts-expect-error
  app.onTaskCreated(() => context("c"));
  app.onTaskCompleted(() => block("r"));
  // @ts-expect-error
  app.onTaskCompleted(() => halt("r"));
  app.onPreCompact(() => context("c"));
  // @ts-expect-error
  app.onPreCompact(() => halt("r"));
  app.onPostCompact(() => systemMessage("m"));
  // @ts-expect-error
  app.onPostCompact(() => context("c"));
  app.onPreModelSwitch(() => ask("r"));
  // @ts-expect-error
  app.onPreModelSwitch(() => defer());
  app.onPostModelSwitch(() => context("c"));
  // @ts-expect-error
  app.onPostModelSwitch(() => deny("r"));
  app.onConfigChange(() => block("r"));
  // @ts-expect-error
  app.onConfigChange(() => context("c"));
  app.onCwdChanged(() => watchPaths("/a"));
  // @ts-expect-error
  app.onCwdChanged(() => context("c"));
  app.onFileChanged(() => watchPaths("/a"));
  // @ts-expect-error
  app.onFileChanged(() => block("r"));
  app.onDirectoryAdded(() => systemMessage("m"));
  // @ts-expect-error
  app.onDirectoryAdded(() => watchPaths("/a"));
  app.onWorktreeCreate(() => worktree("/w"));
  // @ts-expect-error
  app.onWorktreeCreate(() => context("c"));
  app.onWorktreeRemove(() => raw({}));
  // @ts-expect-error
  app.onWorktreeRemove(() => block("r"));
  app.onElicitation(() => elicit("accept", {}));
  // @ts-expect-error
  app.onElicitation(() => deny("r"));
  app.onElicitationResult(() => block("r"));
  // @ts-expect-error
  app.onElicitationResult(() => context("c"));
  app.onNotification(() => systemMessage("m"));
  // @ts-expect-error
  app.onNotification(() => context("c"));
  app.on("BrandNew", () => raw({}));
  // @ts-expect-error nothing is known of it
  app.on("BrandNew", () => deny("r"));
  const tried = appRuntime(app)?.describe();
  expect(tried?.map(({ event }) => event)).toEqual([...eventNames, "BrandNew"]);
});
