import { expect, test } from "vitest";
import { type EventName, eventNames } from "../../protocol/internal.ts";
import {
  type Answer,
  type AnswerKind,
  allow,
  approvePermission,
  ask,
  block,
  context,
  createApp,
  defer,
  deny,
  denyPermission,
  display,
  elicit,
  halt,
  initialUserMessage,
  mapOutput,
  patchInput,
  retry,
  sessionTitle,
  updateInput,
  updateOutput,
  watchPaths,
  worktree,
} from "../index.ts";
import { type TestResult, testClient } from "../testing/index.ts";
import { eventRule } from "./event-rules.ts";

const output = { stdout: "", stderr: "", interrupted: false, isImage: false, noOutputExpected: false };
const rules = [{ type: "setMode", mode: "plan", destination: "session" }] as const;

/** The answers of the table, with the parts that its middle column names. */
const said: Partial<Record<AnswerKind, Answer>> = {
  allow: allow("why"),
  ask: ask("why"),
  deny: deny("why"),
  defer: defer("why"),
  block: block("why"),
  halt: halt("why"),
  context: context("text"),
  updateInput: updateInput({ command: "ls" }),
  patchInput: patchInput({ command: "ls" }),
  updateOutput: updateOutput(output),
  mapOutput: mapOutput(() => ""),
  approvePermission: approvePermission({ input: { command: "ls" }, rules }),
  denyPermission: denyPermission("why", { interrupt: true }),
  retry: retry(),
  sessionTitle: sessionTitle("title"),
  watchPaths: watchPaths("/a", "/b"),
  initialUserMessage: initialUserMessage("begin"),
  display: display("shown"),
  elicit: elicit("accept", { name: "Ada" }),
  worktree: worktree("/wt"),
};

const decided = (permissionDecision: string) => ({ own: { permissionDecision, permissionDecisionReason: "why" } });
const blocked = { decision: "block", reason: "why" };
const halted = { continue: false, stopReason: "why" };
const known = { own: { additionalContext: "text" } };
const rewritten = { own: { updatedInput: { command: "ls" } } };
const replaced = { own: { updatedToolOutput: output } };
const watched = { own: { watchPaths: ["/a", "/b"] } };
const byExit = { stdout: "", stderr: "why\n", exitCode: 2 };
const declined = { own: { action: "decline" }, stderr: "why\n" };
const elicited = { own: { action: "accept", content: { name: "Ada" } } };
const prompt = { block: blocked, context: known, halt: halted };

/** Each legal answer and its wire form; `own` means `hookSpecificOutput` without the event's name. */
const table: Readonly<Record<EventName, Partial<Record<AnswerKind, object>>>> = {
  PreToolUse: {
    allow: decided("allow"),
    ask: decided("ask"),
    deny: decided("deny"),
    defer: decided("defer"),
    updateInput: rewritten,
    patchInput: { own: { updatedInput: { command: "ls", description: "say hi" } } },
    context: known,
    halt: { ...halted, ...decided("deny") },
  },
  PermissionRequest: {
    approvePermission: {
      own: { decision: { behavior: "allow", updatedInput: { command: "ls" }, updatedPermissions: rules } },
    },
    denyPermission: { own: { decision: { behavior: "deny", message: "why", interrupt: true } } },
  },
  PermissionDenied: { retry: { own: { retry: true } } },
  PostToolUse: { block: blocked, context: known, updateOutput: replaced, mapOutput: replaced, halt: halted },
  PostToolUseFailure: { block: blocked, context: known, halt: halted },
  PostToolBatch: { block: blocked, context: known, halt: halted },
  UserPromptSubmit: { ...prompt, sessionTitle: { own: { sessionTitle: "title" } } },
  UserPromptExpansion: prompt,
  SessionStart: {
    context: known,
    watchPaths: watched,
    initialUserMessage: { own: { initialUserMessage: "begin" } },
    sessionTitle: { own: { sessionTitle: "title" } },
  },
  Setup: { context: known },
  SubagentStart: { context: known },
  Stop: { block: blocked, context: known, halt: halted },
  SubagentStop: { block: blocked, context: known, halt: halted },
  TaskCreated: { block: byExit },
  TaskCompleted: { block: byExit },
  TeammateIdle: { block: byExit },
  ConfigChange: { block: byExit },
  PreCompact: { block: byExit, context: { stdout: "text\n", stderr: "", exitCode: 0 } },
  WorktreeCreate: {
    worktree: { stdout: "/wt\n", stderr: "", exitCode: 0 },
    block: { stdout: "", stderr: "why\n", exitCode: 1 },
  },
  MessageDisplay: { display: { own: { displayContent: "shown" } } },
  Elicitation: { elicit: elicited, block: declined },
  ElicitationResult: { elicit: elicited, block: declined },
  CwdChanged: { watchPaths: watched },
  FileChanged: { watchPaths: watched },
  PreModelSwitch: { allow: decided("allow"), ask: decided("ask"), deny: decided("deny") },
  PostModelSwitch: { context: known },
  SessionEnd: {},
  StopFailure: {},
  PostCompact: {},
  WorktreeRemove: {},
  DirectoryAdded: {},
  InstructionsLoaded: {},
  Notification: {},
};

test.each(eventNames)("%s takes the answers of its row, spelled as the table says", async (name) => {
  expect([...eventRule(name).legal].sort()).toEqual(Object.keys(table[name]).sort());
  for (const [kind, expected] of Object.entries(table[name])) {
    const app = createApp().on(name as string, () => said[kind as AnswerKind] as never);
    expect([kind, onTheWire(name, await testClient(app).send(name))]).toEqual([kind, expected]);
  }
});

function onTheWire(name: EventName, { wire, stdout, stderr, exitCode }: TestResult): object {
  if (wire === undefined) return { stdout, stderr, exitCode };
  expect([stdout, exitCode]).toEqual([`${JSON.stringify(wire)}\n`, 0]);
  const { hookSpecificOutput, ...top } = wire;
  const aside = stderr === "" ? {} : { stderr };
  if (hookSpecificOutput === undefined) return { ...top, ...aside };
  const { hookEventName, ...own } = hookSpecificOutput as Record<string, unknown>;
  expect(hookEventName).toBe(name);
  return { ...top, own, ...aside };
}
