/** Something that works differently than expected, without stopping the operation. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** A file, a hook's id or a field, as precise as possible. */
  readonly place?: string;
}

/** Every warning with its meaning; the docs print this table. */
export const warningCodes = {
  "settings-unreadable": "a settings file is not valid JSON; its hooks are disabled, other files are unaffected",
  "client-cannot-read":
    "Claude Code ignores a settings file that Hookline can read, or an entry of it; its hooks do not run there",
  "parent-settings":
    "the settings of a parent directory other than your home have hooks, which do not apply in the current one, or cannot be read",
  disabled: "the variable HOOKLINE=0 switches off every hook of Hookline apps",
  "settings-invalid":
    "a key of a settings file is misspelled, misplaced or invalid; it is ignored, or read as the strictest value",
  "unknown-keys": "keys that neither Hookline nor Claude Code knows have no effect",
  "setting-unsupported": "Hookline does not support a setting of Claude Code, so its protection does not apply",
  "settings-kept": "on reload a file was unreadable; its last good content stays in effect",
  "hook-invalid":
    "a hook entry cannot be used; Hookline skips it and uses the rest of the file; with onFailure: block it denies what it matches",
  "hook-empty": "a command or a list of hooks is empty, so nothing runs; an empty command with onFailure: block denies",
  "unknown-event":
    "a key under hooks is not an event; it is ignored, but hooks with onFailure: block deny on an event with almost the same name",
  "matcher-ignored": "the event does not use matchers; the matcher is ignored",
  "matcher-never":
    "a name in a matcher or condition never occurs, often because of its letter case; the hook never runs for it",
  "matcher-invalid":
    "a matcher is not a valid regular expression; it never matches; with onFailure: block the hook denies",
  "matcher-unsafe":
    "a matcher could take too long and is rejected; it never matches; with onFailure: block the hook denies",
  "matcher-is-rule":
    "a matcher or one of its alternatives is a permission rule, which never matches; with onFailure: block the hook denies. Use `if` instead",
  "if-ignored": "a condition on an event without a tool; the hook never runs; with onFailure: block it denies",
  "if-invalid": "a condition is not a permission rule; the hook never runs; with onFailure: block it denies",
  "type-unsupported": "the event does not support hooks of this type; with onFailure: block the hook denies",
  "once-ignored": "`once` has an effect only in skills and session hooks",
  "on-failure-invalid": "onFailure or failClosed has an invalid value or a misspelled name; it is treated as block",
  "on-failure-ignored": "onFailure: block has no effect on an event that guards nothing, or on a background hook",
  "command-has-blanks":
    "in exec form the command is one program name; this one contains spaces, which look like arguments",
  "timeout-suspicious": "timeout is in seconds; this looks like milliseconds",
  "policy-key-ignored": "a policy key in a file that may not set it; it is ignored",
  "env-ignored": "an env entry that a project may not set; it is ignored",
  "not-trusted":
    "a key of a project's settings has no effect, or only on the project's own hooks, until a user approves it",
  "trust-store-refused": "the file of approvals cannot be trusted; nothing of the project counts as approved",
  "managed-unreadable": "a managed file cannot be used; until it can, every tool call needs a confirmation",
  "foreign-name": "the name of the event or tool belongs to another agent; `hookline run` rejects such a payload",
  "payload-incomplete": "the payload is missing a field that the event normally has",
  "hook-failed": "a hook failed; its failure mode decides whether the operation continues",
  "exit-2-ignored": "exit code 2 has no effect on this event; stderr is shown to the user",
  "output-repaired": "a denial or question was recovered from otherwise invalid output",
  "output-invalid": "a hook printed an object that cannot be used",
  "output-ignored":
    "an answer was dropped because this event does not support it, or because it came too late from the background",
  "output-cut": "a hook's output exceeded the limit; the rest was dropped",
  "output-conflict": "two hooks returned different values; the hook that is configured last wins",
  "input-conflict": "two hooks rewrote the input differently; the hook that is configured last wins",
  "rewrite-ignored": "a rewrite in the second round, or of a deferred call, has no effect",
  "unknown-decision": "this event does not know the decision that a hook returned",
  "judge-failed": "the host's judge of permission rules threw, timed out or returned an invalid value",
  "defer-unsupported": "the host cannot defer; the user is asked instead",
  "continue-ignored": "continue: false has no effect on this event",
  "stop-is-not-deny": "continue: false does not stop this tool call; return deny to stop it",
  "terminal-sequence-dropped": "a terminal sequence other than a title, notification or bell was dropped",
  "permission-update-invalid": "an entry of updatedPermissions was dropped",
  "worktree-invalid": "the path that a WorktreeCreate hook returned cannot be used",
  "cwd-missing": "the directory of the payload no longer exists; the hook ran in another one",
  "possible-leak": "processes of a hook may still be running after its end",
  "header-variable": "a header uses a variable that it may not read; the variable was replaced with an empty string",
  "header-ignored": "a header that the engine sets itself was ignored",
  "template-missing": "a template uses a field that the payload does not have",
  "question-without-interactive": "a hook printed a question but does not have interactive: true",
  "stop-cap": "hooks blocked the end of the turn too often; the block was dropped",
  "background-dropped": "an answer of a background hook was dropped before the host read it",
  "status-line-failed": "the status line command failed; the last lines stay visible",
  "observer-threw": "an observer or onSuccess callback threw",
  "spill-failed": "a long text could not be written to its file and was truncated",
};

/** Warnings about permission rules and modes, in settings and in answers. */
export const ruleWarningCodes = {
  "rule-invalid":
    "a permission rule or a key of permissions is invalid and has no effect; until it is fixed, a tool under deny or ask needs a confirmation",
  "rule-elsewhere":
    "a deny or ask rule on a path such as /etc is relative to the directory of its source; // is the root",
  "rule-too-wide": "an allow rule is too broad and has no effect",
  "mode-unknown": "unknown permission mode; default is used",
  "mode-ignored": "a permission mode that may not be set in this place",
  "permission-update-invalid": "an entry of updatedPermissions was dropped",
};

/** The code of a warning; docs/warnings.md explains each. */
export type WarningCode = keyof typeof warningCodes | keyof typeof ruleWarningCodes;
