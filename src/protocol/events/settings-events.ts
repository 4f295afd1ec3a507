import { type EventTable, refusable } from "./event-row.ts";

/** Settings, directories, files and worktrees change during a session. */
export const settingsEvents = {
  ConfigChange: {
    ...refusable,
    fires: "a settings file or skill was changed by another process; not by the host's own writes",
    fields: {
      source: {
        is: "text",
        of: ["user_settings", "project_settings", "local_settings", "policy_settings", "skills"],
      },
      file_path: { is: "text", optional: true },
    },
    matchesOn: { field: "source" },
    onBlock: "refuse",
    onOther: null,
    blocks: "the old content stays in effect",
    onFailure: "guard",
    special: {
      // Nobody may keep a policy from taking effect.
      blocksWhen: ({ source }) => source !== "policy_settings",
    },
    app: { method: "onConfigChange", answers: ["block"] },
  },
  CwdChanged: {
    fires: "the working directory changed; before that call's PostToolUse",
    fields: {
      old_cwd: { is: "text" },
      new_cwd: { is: "text" },
    },
    answers: ["watchPaths"],
    awaited: false,
    special: { envFile: true },
    app: { method: "onCwdChanged", answers: ["watchPaths"] },
  },
  FileChanged: {
    fires: "a watched file was added, changed or removed by any process",
    fields: {
      file_path: { is: "text" },
      event: { is: "text", of: ["add", "change", "unlink"] },
    },
    matchesOn: { field: "file_path", narrow: true, part: "basename" },
    answers: ["watchPaths"],
    awaited: false,
    special: { envFile: true },
    app: { method: "onFileChanged", answers: ["watchPaths"] },
  },
  DirectoryAdded: {
    since: "declared",
    fires: "a working directory was added during a session; not at startup",
    fields: {
      directory: { is: "text" },
      source: { is: "text", of: ["slash_command", "register_repo_root"], open: true },
    },
    matchesOn: { field: "source" },
    awaited: false,
    special: { messageIsContext: ({ source }) => source === "slash_command" },
    app: { method: "onDirectoryAdded", answers: [] },
  },
  WorktreeCreate: {
    fires: "an isolated working copy is needed; a hook replaces the host's own way of creating one",
    fields: {
      /** `agent-<id>` for an isolated agent. */
      name: { is: "text" },
    },
    onText: "path",
    onBlock: "fail",
    onOther: "fail",
    answers: ["worktreePath"],
    decisions: ["deny"],
    blocks: "creation fails",
    onFailure: "fail",
    special: { answersPath: true },
    app: { method: "onWorktreeCreate", answers: ["worktree", "block"] },
  },
  WorktreeRemove: {
    fires: "a working copy that a hook created is to be removed",
    fields: {
      worktree_path: { is: "text" },
    },
    app: { method: "onWorktreeRemove", answers: [] },
  },
} as const satisfies EventTable;
