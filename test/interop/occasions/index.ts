import type { Occasion } from "../occasion.ts";
import { postCompact, preCompact } from "./compaction.ts";
import { configChange } from "./config.ts";
import { elicitation } from "./elicitation.ts";
import { permissionRequest } from "./permission.ts";
import { postTool, postToolBatch } from "./post-tool.ts";
import { preTool } from "./pre-tool.ts";
import { promptExpansion, promptSubmit } from "./prompt.ts";
import { cwdChanged, messageDisplay, notice, sessionStart, setup, stopFailure } from "./session.ts";
import { taskCompleted, taskCreated } from "./task.ts";
import { stop, subagentStart, subagentStop } from "./turn-end.ts";
import { worktreeCreate } from "./worktree.ts";

/** The events that a headless client can be brought into. */
const occasions: Readonly<Record<string, Occasion>> = {
  PreToolUse: preTool,
  PermissionRequest: permissionRequest,
  PostToolUse: postTool,
  PostToolUseFailure: postTool,
  PostToolBatch: postToolBatch,
  UserPromptSubmit: promptSubmit,
  UserPromptExpansion: promptExpansion,
  MessageDisplay: messageDisplay,
  Setup: setup,
  SessionStart: sessionStart,
  SessionEnd: notice,
  InstructionsLoaded: notice,
  Stop: stop,
  StopFailure: stopFailure,
  SubagentStart: subagentStart,
  SubagentStop: subagentStop,
  TaskCreated: taskCreated,
  TaskCompleted: taskCompleted,
  PreCompact: preCompact,
  PostCompact: postCompact,
  ConfigChange: configChange,
  CwdChanged: cwdChanged,
  WorktreeCreate: worktreeCreate,
  Elicitation: elicitation,
  ElicitationResult: elicitation,
};

export function occasionOf(event: string): Occasion {
  const occasion = occasions[event];
  if (!occasion)
    throw new Error(`no way is known to bring the client into ${event}; known: ${Object.keys(occasions).join(", ")}`);
  return occasion;
}
