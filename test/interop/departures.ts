/** Deliberate differences from Claude Code: what it does, what Hookline does instead, and why. */
export interface Departure {
  readonly client: string;
  readonly hookline: string;
  readonly why: string;
}

export type DepartureName = keyof typeof departures;

export const departures = {
  "configured-order": {
    client: "uses results in order of completion: the last finisher's reason, input and context order win",
    hookline: "uses configured order: the first reason, all contexts in order",
    why: "same hooks, same outcome",
  },
  "two-rewrites": {
    client: "of two updatedInput the last to finish wins, silently",
    hookline: "the last configured wins, with a warning",
    why: "a race must not decide what runs",
  },
  "rewrite-meets-conditions": {
    client: "a rewritten input passes the permission rules only",
    hookline: "hooks whose condition it now meets are asked too",
    why: "a rewrite must not slip past a guard",
  },
  "readable-denial-counts": {
    client: "a denial beside log lines, with a wrong type or event name, is lost",
    hookline: "a readable deny or ask counts; an allow does not",
    why: "fail towards the guard",
  },
  "one-invalid-entry": {
    client: "one invalid entry silently drops the whole file",
    hookline: "drops that entry with a warning",
    why: "silence disarms guards",
  },
  "disabled-stays-disabled": {
    client: "a later file's disableAllHooks: false undoes an earlier true",
    hookline: "true wins",
    why: "no layer may undo another's switch",
  },
  "project-cannot-disarm": {
    client: "disableAllHooks of a project counts for all hooks",
    hookline: "only for that project's own hooks",
    why: "a checkout must not disarm its user",
  },
  "http-denial-under-any-status": {
    client: "ignores the body of an answer that is not 2xx",
    hookline: "a denial in it counts",
    why: "fail towards the guard",
  },
  "glob-matcher": {
    client: "a pattern that is not a valid expression never matches",
    hookline: "reads one with * or ? as a glob",
    why: "a matcher should do what it says",
  },
  "strictest-copy": {
    client: "of equal hooks any may be the one that runs, an async one too",
    hookline: "the first runs, synchronously if any copy is",
    why: "a lax copy must not replace a strict one",
  },
  "setup-is-heard": {
    client: "nothing that a Setup hook says reaches the model in a headless run",
    hookline: "text and context are in the outcome",
    why: "the outcome says what hooks said",
  },
  "conditions-open-wrappers": {
    client: "a condition looks at literal heads only, and some rule forms never hold",
    hookline: "wrappers and nested shells are opened, all rule forms hold",
    why: "a guard must be asked about what really runs",
  },
  "names-hold-outside-the-project": {
    client:
      "a condition on a bare name, such as Write(w.txt), does not hold for a file outside the project, even in an added folder",
    hookline: "it holds wherever the file is",
    why: "a guard is asked about the file it names",
  },
  "here-documents-are-read": {
    client: "a condition on a here-document, a case, a function or a group always holds",
    hookline: "they are taken apart; a condition holds when a part meets it, and always when that cannot be done",
    why: "a hook is asked about what concerns it",
  },
  "failed-guard-names-its-hook": {
    client: "the reason of a guard that could not be started quotes its arguments and an empty program name",
    hookline: "the reason names the hook and how it failed",
    why: "the user must find the hook",
  },
  "killed-hook-allows-nothing": {
    client: "an allow printed before a hook died by a signal counts",
    hookline: "does not",
    why: "only exact output of a hook that ended allows",
  },
  "any-refusal-of-a-request-wins": {
    client: "the first hook to answer a PermissionRequest decides",
    hookline: "any deny wins, whenever it comes",
    why: "a race must not decide what runs",
  },
  "older-words-answer-a-request": {
    client: "the older decision: approve and block are no answer to a PermissionRequest",
    hookline: "they are",
    why: "an older guard keeps guarding",
  },
} as const satisfies Record<string, Departure>;
