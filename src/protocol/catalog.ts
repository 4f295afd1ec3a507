import type { CommonInput } from "./common.ts";
import { type ConfigChangeInput, configChange } from "./events/config-change.ts";
import { type CwdChangedInput, cwdChanged } from "./events/cwd-changed.ts";
import { type DirectoryAddedInput, directoryAdded } from "./events/directory-added.ts";
import { type ElicitationInput, elicitation } from "./events/elicitation.ts";
import { type ElicitationResultInput, elicitationResult } from "./events/elicitation-result.ts";
import { type FileChangedInput, fileChanged } from "./events/file-changed.ts";
import { type InstructionsLoadedInput, instructionsLoaded } from "./events/instructions-loaded.ts";
import { type MessageDisplayInput, messageDisplay } from "./events/message-display.ts";
import { type NotificationInput, notification } from "./events/notification.ts";
import { type PermissionDeniedInput, permissionDenied } from "./events/permission-denied.ts";
import { type PermissionRequestInput, permissionRequest } from "./events/permission-request.ts";
import { type PostCompactInput, postCompact } from "./events/post-compact.ts";
import { type PostModelSwitchInput, postModelSwitch } from "./events/post-model-switch.ts";
import { type PostToolBatchInput, postToolBatch } from "./events/post-tool-batch.ts";
import { type PostToolUseInput, postToolUse } from "./events/post-tool-use.ts";
import { type PostToolUseFailureInput, postToolUseFailure } from "./events/post-tool-use-failure.ts";
import { type PreCompactInput, preCompact } from "./events/pre-compact.ts";
import { type PreModelSwitchInput, preModelSwitch } from "./events/pre-model-switch.ts";
import { type PreToolUseInput, preToolUse } from "./events/pre-tool-use.ts";
import { type SessionEndInput, sessionEnd } from "./events/session-end.ts";
import { type SessionStartInput, sessionStart } from "./events/session-start.ts";
import { type SetupInput, setup } from "./events/setup.ts";
import { type StopInput, stop } from "./events/stop.ts";
import { type StopFailureInput, stopFailure } from "./events/stop-failure.ts";
import { type SubagentStartInput, subagentStart } from "./events/subagent-start.ts";
import { type SubagentStopInput, subagentStop } from "./events/subagent-stop.ts";
import { type TaskCompletedInput, taskCompleted } from "./events/task-completed.ts";
import { type TaskCreatedInput, taskCreated } from "./events/task-created.ts";
import { type TeammateIdleInput, teammateIdle } from "./events/teammate-idle.ts";
import { type UserPromptExpansionInput, userPromptExpansion } from "./events/user-prompt-expansion.ts";
import { type UserPromptSubmitInput, userPromptSubmit } from "./events/user-prompt-submit.ts";
import { type WorktreeCreateInput, worktreeCreate } from "./events/worktree-create.ts";
import { type WorktreeRemoveInput, worktreeRemove } from "./events/worktree-remove.ts";
import { nearest } from "./near.ts";
import { Problem } from "./problem.ts";
import type { EventRow } from "./row.ts";

/** Every event with its row, in the order of an agent's life. The only list of events in the project. */
export const catalog: Catalog = {
  Setup: setup,
  SessionStart: sessionStart,
  InstructionsLoaded: instructionsLoaded,
  SessionEnd: sessionEnd,
  UserPromptExpansion: userPromptExpansion,
  UserPromptSubmit: userPromptSubmit,
  MessageDisplay: messageDisplay,
  PreToolUse: preToolUse,
  PermissionRequest: permissionRequest,
  PermissionDenied: permissionDenied,
  PostToolUse: postToolUse,
  PostToolUseFailure: postToolUseFailure,
  PostToolBatch: postToolBatch,
  Stop: stop,
  StopFailure: stopFailure,
  SubagentStart: subagentStart,
  SubagentStop: subagentStop,
  TeammateIdle: teammateIdle,
  TaskCreated: taskCreated,
  TaskCompleted: taskCompleted,
  PreCompact: preCompact,
  PostCompact: postCompact,
  PreModelSwitch: preModelSwitch,
  PostModelSwitch: postModelSwitch,
  ConfigChange: configChange,
  CwdChanged: cwdChanged,
  FileChanged: fileChanged,
  DirectoryAdded: directoryAdded,
  WorktreeCreate: worktreeCreate,
  WorktreeRemove: worktreeRemove,
  Elicitation: elicitation,
  ElicitationResult: elicitationResult,
  Notification: notification,
};

/** The event's own fields, by its name. */
export interface EventInputs {
  Setup: SetupInput;
  SessionStart: SessionStartInput;
  InstructionsLoaded: InstructionsLoadedInput;
  SessionEnd: SessionEndInput;
  UserPromptExpansion: UserPromptExpansionInput;
  UserPromptSubmit: UserPromptSubmitInput;
  MessageDisplay: MessageDisplayInput;
  PreToolUse: PreToolUseInput;
  PermissionRequest: PermissionRequestInput;
  PermissionDenied: PermissionDeniedInput;
  PostToolUse: PostToolUseInput;
  PostToolUseFailure: PostToolUseFailureInput;
  PostToolBatch: PostToolBatchInput;
  Stop: StopInput;
  StopFailure: StopFailureInput;
  SubagentStart: SubagentStartInput;
  SubagentStop: SubagentStopInput;
  TeammateIdle: TeammateIdleInput;
  TaskCreated: TaskCreatedInput;
  TaskCompleted: TaskCompletedInput;
  PreCompact: PreCompactInput;
  PostCompact: PostCompactInput;
  PreModelSwitch: PreModelSwitchInput;
  PostModelSwitch: PostModelSwitchInput;
  ConfigChange: ConfigChangeInput;
  CwdChanged: CwdChangedInput;
  FileChanged: FileChangedInput;
  DirectoryAdded: DirectoryAddedInput;
  WorktreeCreate: WorktreeCreateInput;
  WorktreeRemove: WorktreeRemoveInput;
  Elicitation: ElicitationInput;
  ElicitationResult: ElicitationResultInput;
  Notification: NotificationInput;
}

export type EventName = keyof EventInputs;
export type Catalog = { readonly [Name in EventName]: EventRow<Name, EventInputs[Name]> };

/** The whole payload of an event: common fields, then its own. */
export type Payload<Name extends EventName = EventName> = CommonInput & EventInputs[Name];

export const eventNames: readonly EventName[] = Object.keys(catalog) as EventName[];

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(catalog, name);
}

/** The row of an event; `rows` may hold a host's own beside the catalog's. */
export function rowOf(name: string, rows: Readonly<Record<string, EventRow>> = catalog): EventRow {
  const row = Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row !== undefined) return row;
  const near = nearest(name, Object.keys(rows));
  const hint = near ? `Did you mean "${near}"?` : "The catalog lists every event.";
  throw new Problem("event/unknown", `"${name}" is not an event. ${hint}`, { about: { event: name, near } });
}
