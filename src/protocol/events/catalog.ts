import { closestName } from "../did-you-mean.ts";
import type { ValuesOf } from "../field.ts";
import { Problem, showValue } from "../problem.ts";
import type { CommonInput } from "./common-fields.ts";
import { configChange } from "./config-change.ts";
import { cwdChanged } from "./cwd-changed.ts";
import { directoryAdded } from "./directory-added.ts";
import { elicitation } from "./elicitation.ts";
import { elicitationResult } from "./elicitation-result.ts";
import { type CatalogRow, type EventRow, type RowFacts, usual } from "./event-row.ts";
import { fileChanged } from "./file-changed.ts";
import { instructionsLoaded } from "./instructions-loaded.ts";
import { messageDisplay } from "./message-display.ts";
import { notification } from "./notification.ts";
import { permissionDenied } from "./permission-denied.ts";
import { type PermissionRequestInput, permissionRequest } from "./permission-request.ts";
import { postCompact } from "./post-compact.ts";
import { postModelSwitch } from "./post-model-switch.ts";
import { postToolBatch } from "./post-tool-batch.ts";
import { postToolUse } from "./post-tool-use.ts";
import { postToolUseFailure } from "./post-tool-use-failure.ts";
import { preCompact } from "./pre-compact.ts";
import { preModelSwitch } from "./pre-model-switch.ts";
import { preToolUse } from "./pre-tool-use.ts";
import { sessionEnd } from "./session-end.ts";
import { sessionStart } from "./session-start.ts";
import { setup } from "./setup.ts";
import { stop } from "./stop.ts";
import { stopFailure } from "./stop-failure.ts";
import { subagentStart } from "./subagent-start.ts";
import { subagentStop } from "./subagent-stop.ts";
import { taskCompleted } from "./task-completed.ts";
import { taskCreated } from "./task-created.ts";
import { teammateIdle } from "./teammate-idle.ts";
import { userPromptExpansion } from "./user-prompt-expansion.ts";
import { userPromptSubmit } from "./user-prompt-submit.ts";
import { worktreeCreate } from "./worktree-create.ts";
import { worktreeRemove } from "./worktree-remove.ts";

const rows = {
  Setup: rowOf(setup),
  SessionStart: rowOf(sessionStart),
  InstructionsLoaded: rowOf(instructionsLoaded),
  SessionEnd: rowOf(sessionEnd),
  UserPromptExpansion: rowOf(userPromptExpansion),
  UserPromptSubmit: rowOf(userPromptSubmit),
  MessageDisplay: rowOf(messageDisplay),
  PreToolUse: rowOf(preToolUse),
  PermissionRequest: rowOf(permissionRequest),
  PermissionDenied: rowOf(permissionDenied),
  PostToolUse: rowOf(postToolUse),
  PostToolUseFailure: rowOf(postToolUseFailure),
  PostToolBatch: rowOf(postToolBatch),
  Stop: rowOf(stop),
  StopFailure: rowOf(stopFailure),
  SubagentStart: rowOf(subagentStart),
  SubagentStop: rowOf(subagentStop),
  TeammateIdle: rowOf(teammateIdle),
  TaskCreated: rowOf(taskCreated),
  TaskCompleted: rowOf(taskCompleted),
  PreCompact: rowOf(preCompact),
  PostCompact: rowOf(postCompact),
  PreModelSwitch: rowOf(preModelSwitch),
  PostModelSwitch: rowOf(postModelSwitch),
  ConfigChange: rowOf(configChange),
  CwdChanged: rowOf(cwdChanged),
  FileChanged: rowOf(fileChanged),
  DirectoryAdded: rowOf(directoryAdded),
  WorktreeCreate: rowOf(worktreeCreate),
  WorktreeRemove: rowOf(worktreeRemove),
  Elicitation: rowOf(elicitation),
  ElicitationResult: rowOf(elicitationResult),
  Notification: rowOf(notification),
} as const;

function rowOf<Facts extends RowFacts>(facts: Facts): CatalogRow<Facts["name"], Facts["fields"], Facts["app"]> {
  return { ...usual, ...facts };
}

/** The types of the rows: what an event's payload holds and what its handlers may answer is read from them. */
export type Catalog = typeof rows;

/** Every event with its row, in the order of an agent's life. The only list of events in the project. */
export const catalog: Catalog = rows;

/** The name of an event of the catalog, such as `PreToolUse`. */
export type EventName = keyof Catalog;

/** The event's own fields, by its name. */
export interface EventInputs extends Omit<InputsOf<Catalog>, "PermissionRequest"> {
  readonly PermissionRequest: PermissionRequestInput;
}

type InputsOf<Rows extends Readonly<Record<string, EventRow>>> = {
  readonly [Name in keyof Rows]: ValuesOf<Rows[Name]["fields"]>;
};

/** The whole payload of an event: common fields, then its own. */
export type Payload<Name extends EventName = EventName> = CommonInput & EventInputs[Name];

/** The name of every event in the catalog. */
export const eventNames: readonly EventName[] = Object.keys(catalog) as EventName[];

/** Whether the catalog has an event of this name. */
export function isEventName(name: string): name is EventName {
  return Object.hasOwn(catalog, name);
}

/** The row of an event; `rows` may hold a host's own rows in addition to the catalog. */
export function eventRow(name: string, rows: Readonly<Record<string, EventRow>> = catalog): EventRow {
  // Callers without types pass anything; a list of one name would be taken for the name.
  const row = typeof name === "string" && Object.hasOwn(rows, name) ? rows[name] : undefined;
  if (row !== undefined) return row;
  const given = String(name);
  const near = closestName(given, Object.keys(rows));
  const hint = near ? `Did you mean "${near}"?` : "See docs/events.md.";
  throw new Problem("event/unknown", `${showValue(name)} is not an event. ${hint}`, { about: { event: given, near } });
}
