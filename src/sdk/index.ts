import type { BuiltInToolInputs, BuiltInToolResponses } from "./tools.ts";

/** Inputs by tool. Further tools are typed by augmenting this: `declare module "hookline/sdk" { interface ToolInputs { … } }`. */
export interface ToolInputs extends BuiltInToolInputs {}
/** Responses by tool, likewise. */
export interface ToolResponses extends BuiltInToolResponses {}

export type { EventName } from "../protocol/index.ts";
export type { AppWarning } from "./accept.ts";
export {
  type Answer,
  type AnswerKind,
  type AnswerOf,
  allow,
  approvePermission,
  ask,
  block,
  context,
  defer,
  deny,
  denyPermission,
  display,
  elicit,
  halt,
  initialUserMessage,
  mapOutput,
  patchInput,
  raw,
  retry,
  sessionTitle,
  systemMessage,
  updateInput,
  updateOutput,
  watchPaths,
  worktree,
} from "./answer.ts";
export { type App, createApp } from "./app.ts";
export { type AppInside, appInside } from "./app-symbol.ts";
export { type Blueprint, blueprint } from "./blueprint.ts";
export type { Context } from "./context.ts";
export {
  type EventOf,
  type GenericEvent,
  type HookEvent,
  isTool,
  type OpenToolEvent,
  type ToolEvent,
  type ToolName,
  type WirePayload,
} from "./event.ts";
export type { Git } from "./git.ts";
export { runApp, type ServeAppOptions, type ServedApp, serveApp } from "./in-code.ts";
export type { Logger } from "./log.ts";
export type { Observation, ObservationKind, Observer } from "./observe.ts";
export type { AppOptions, ToolSchema } from "./parts.ts";
export type { ProviderOptions } from "./providers.ts";
export type { AnswerFor, FailureMode, Handler, HandlerOptions, Middleware } from "./registration.ts";
export type { RunAppOptions } from "./run-app.ts";
export type { ScopedState, State, StateDefaults } from "./state/state.ts";
export type { Output } from "./stdout-guard.ts";
export { defineStrategy, type Strategy, type StrategyDefinition } from "./strategy.ts";
export { type AgentAnswer, type AgentTaskOptions, agentTask } from "./tasks/agent-task.ts";
export type {
  BackendOptions,
  Claim,
  NewJob,
  Place,
  TaskBackend,
  TaskEnd,
  TaskFailure,
  TaskRecord,
  TaskState,
  WakeCall,
} from "./tasks/backend.ts";
export type { TaskContext, TaskDefinition, TaskFunction, TaskOptions, TaskRef, TaskTable } from "./tasks/task.ts";
export type { AddOptions, CompletedTask, FailedTask, TaskKey, TaskResult, Tasks, WaitOptions } from "./tasks/tasks.ts";
export { workTasks } from "./tasks/work-later.ts";
export type { WorkTasksOptions } from "./tasks/work-tasks.ts";
