export type { EventName } from "../protocol/internal.ts";
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
} from "./answer/answer.ts";
export type { FailureMode } from "./answer/event-rules.ts";
export { type App, createApp } from "./app/app.ts";
export type { AppOptions, ToolSchema } from "./app/app-definition.ts";
export { type Blueprint, blueprint, defineStrategy, type Strategy, type StrategyDefinition } from "./app/blueprint.ts";
export type { Context } from "./app/context.ts";
export type { Git } from "./app/context-git.ts";
export {
  type EventOf,
  type GenericEvent,
  type HookEvent,
  isTool,
  type OpenToolEvent,
  type ToolEvent,
  type ToolName,
  type WirePayload,
} from "./app/hook-event.ts";
export type { Observation, ObservationKind, Observer } from "./app/observers.ts";
export type { ProviderOptions } from "./app/providers.ts";
export type { AnswerFor, AppHandler, AppHandlerOptions, Middleware } from "./app/registration.ts";
export type { ToolInputs, ToolResponses } from "./app/tool-types.ts";
export type { Logger } from "./log/logger.ts";
export { runApp, type ServeAppOptions, type ServedApp, serveApp, workTasks } from "./run/embed.ts";
export type { RunAppOptions, TextOutput } from "./run/run-app.ts";
export type { ScopedState, State, StateDefaults } from "./state/state.ts";
export type { TaskContext, TaskDefinition, TaskFunction, TaskOptions, TaskRef, TaskTable } from "./tasks/task.ts";
export { type AgentAnswer, type AgentTaskOptions, agentTask } from "./tasks/task.ts";
export type {
  BackendOptions,
  ClaimedJob,
  JobScope,
  NewJob,
  TaskBackend,
  TaskEnd,
  TaskFailure,
  TaskRecord,
  TaskState,
  WorkerRequest,
} from "./tasks/task-backend.ts";
export type { AddOptions, CompletedTask, FailedTask, TaskKey, TaskResult, Tasks, WaitOptions } from "./tasks/tasks.ts";
export type { WorkTasksOptions } from "./tasks/work-tasks.ts";
