import { expect, test } from "vitest";
import { catalog, type EventRow, eventNames } from "../../protocol/internal.ts";
import { createApp } from "../app/app.ts";
import { eventRule, eventRules, type ToolEventName } from "./event-rules.ts";

test("every event of the catalog has a method of its own, and the methods are the promised ones", () => {
  const promised =
    `preTool postTool postToolFailure onPermission onPermissionDenied onToolBatch onPrompt onPromptExpansion
    onSessionStart onSessionEnd onSetup onStop onStopFailure onSubagentStart onSubagentStop onPreCompact onPostCompact
    onNotification onTaskCreated onTaskCompleted onTeammateIdle onElicitation onElicitationResult onConfigChange
    onWorktreeCreate onWorktreeRemove onInstructionsLoaded onCwdChanged onFileChanged onDirectoryAdded onMessageDisplay
    onPreModelSwitch onPostModelSwitch`.split(/\s+/);
  expect(Object.keys(eventRules)).toEqual(eventNames);
  expect(eventNames.map((name) => eventRule(name).method).sort()).toEqual(promised.sort());
  const app = createApp() as unknown as Record<string, unknown>;
  expect(promised.filter((method) => typeof app[method] !== "function")).toEqual([]);
});

test("an event has a refusal exactly where its row honors a denial", () => {
  const can = eventNames.filter((name) => eventRule(name).refusal !== undefined);
  expect(can).toEqual(eventNames.filter((name) => (catalog[name] as EventRow).decisions.includes("deny")));
});

test("events whose answer is an exit code or text, or that no http hook is called for, need a command", () => {
  const named =
    `SessionStart Setup TaskCreated TaskCompleted TeammateIdle ConfigChange PreCompact WorktreeCreate`.split(" ");
  expect(eventNames.filter((name) => eventRule(name).command).sort()).toEqual(named.sort());
});

test("three events have a deadline of their own for all handlers together", () => {
  const own = eventNames.flatMap((name) => (eventRule(name).deadlineMs ? [[name, eventRule(name).deadlineMs]] : []));
  expect(Object.fromEntries(own)).toEqual({ UserPromptSubmit: 20_000, MessageDisplay: 5_000, SessionEnd: 1_000 });
});

test("the events whose type is about a tool are those whose row is", () => {
  const typed: Readonly<Record<ToolEventName, true>> = {
    ...{ PreToolUse: true, PermissionRequest: true, PermissionDenied: true, PostToolUse: true },
    PostToolUseFailure: true,
  };
  expect(eventNames.filter((name) => eventRule(name).tool)).toEqual(eventNames.filter((name) => name in typed));
});
