/** A problem worth telling that stops nothing: the thing, the place and the way out. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  /** A file, a hook's id or a field, as narrow as it is known. */
  readonly place?: string;
}

/** Every warning with what it tells; the docs print this table. */
export const warningCodes = {
  "settings-unreadable": "a settings file is not valid JSON; its hooks are disabled, other files are unaffected",
  "client-cannot-read":
    "Claude Code drops a settings file that Hookline can read, or an entry of it; the hooks in it are off there",
  "settings-invalid":
    "a key of a settings file is unknown or has a value that cannot be used; it is ignored, or read as the strictest value",
  "setting-unsupported": "a setting of Claude Code that Hookline does not honor, so what it guards is not guarded",
  "settings-kept": "a reload found a file unreadable; its last good content stays in force",
  "hook-invalid": "a hook entry cannot be used; Hookline skips it and uses the rest of the file",
  "unknown-event": "a key under hooks is no event; it is ignored",
  "matcher-ignored": "a matcher on an event that matches on nothing",
  "matcher-never":
    "a name in a matcher or a condition never comes, often because of its case; the hook never runs for it",
  "matcher-invalid": "a matcher is no valid expression and never matches",
  "matcher-unsafe": "a matcher could take too long and is refused; it never matches",
  "matcher-is-rule": "a matcher in the syntax of a permission rule never matches; use if",
  "if-ignored": "a condition on an event without a tool: the hook never runs",
  "if-invalid": "a condition is no permission rule: the hook never runs",
  "type-unsupported": "the event does not take hooks of this type",
  "once-ignored": "once counts in skills and session hooks only",
  "on-failure-invalid": "onFailure or failClosed has an invalid value or a misspelt name; Hookline treats it as block",
  "on-failure-ignored":
    "onFailure: block has no effect on an event that guards nothing, or on a hook that nobody waits for",
  "command-has-blanks": "in exec form the command is one program name; blanks look like arguments",
  "timeout-suspicious": "timeout is in seconds; this looks like milliseconds",
  "policy-key-ignored": "a policy key in a file that may not set it",
  "env-ignored": "an env entry of a project that may not be set there",
  "not-trusted": "a key of a project's settings has no effect until a person approves it",
  "trust-store-refused":
    "the file with a person's approvals cannot be relied on; nothing of the project counts as approved",
  "managed-unreadable": "a managed file cannot be used; tool calls are asked about until it can",
  "foreign-name": "the event or the tool has a name of another agent; `hookline run` refuses such a payload",
  "payload-incomplete": "the payload lacks a field that the event normally has",
  "hook-failed": "a hook failed; the operation goes on or not by its failure policy",
  "exit-2-ignored": "exit 2 is no decision on this event; stderr goes to the person",
  "output-repaired": "a denial or a question was read out of otherwise broken output",
  "output-invalid": "a hook printed an object that cannot be used",
  "output-ignored": "an answer that this event does not honour, or that came too late from the background, was dropped",
  "output-cut": "a hook printed more than is kept; the rest was dropped",
  "output-conflict": "two hooks gave different values; the last configured one counts",
  "input-conflict": "two hooks rewrote the input differently; the last configured one counts",
  "rewrite-ignored": "a rewrite in the second round, or of a call that is put off, does not count",
  "unknown-decision": "a decision word that this event does not know",
  "judge-failed": "the host's judge of permission rules threw, took too long or gave no usable answer",
  "defer-unsupported": "the host cannot defer; the person is asked instead",
  "continue-ignored": "continue: false has no effect on this event",
  "stop-is-not-deny": "continue: false does not stop this tool call; answer deny for that",
  "terminal-sequence-dropped": "a terminal sequence other than a title, notice or bell was dropped",
  "permission-update-invalid": "an entry of updatedPermissions was dropped",
  "worktree-invalid": "the path a WorktreeCreate hook gave cannot be used",
  "cwd-missing": "the payload's folder is gone; the hook ran elsewhere",
  "possible-leak": "processes of a hook may have survived its end",
  "header-variable": "a header names a variable it may not read; it was left empty",
  "header-ignored": "a header that the engine sets itself was left out",
  "template-missing": "a template names a field that the payload lacks",
  "question-without-interactive": "a hook printed a question but does not say interactive: true",
  "stop-cap": "hooks kept the agent going too often; the block was dropped",
  "background-dropped": "an answer of a background hook was dropped before the host took it",
  "status-line-failed": "the status line command failed; the last lines stay",
  "observer-threw": "an observer or onSuccess callback threw",
  "spill-failed": "a long text could not be written to its file and was cut",
} as const;

export type WarningCode = keyof typeof warningCodes;
