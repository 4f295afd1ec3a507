import type { Finding } from "../../engine/internal.ts";

/** What `hookline doctor` can find out about an installed app. docs/warnings.md is printed from it. */
export const installFindingCodes = {
  "hooks-dropped": {
    level: "error",
    meaning: "an app was installed, and its entries are missing: the agent or a user rewrote the file",
  },
  "client-cannot-read": {
    level: "error",
    meaning: "Claude Code drops the settings file of an installed app, or an entry of it",
  },
  "hooks-file-broken": {
    level: "error",
    meaning:
      "the hooks file or a file it imports has a syntax error, or an import is missing. `doctor` parses the code and never runs it",
  },
  "package-missing": { level: "error", meaning: "an entry calls a package that no longer exists" },
  "bash-missing": {
    level: "error",
    meaning: "an entry calls the client, which runs the app with bash, and there is no bash in PATH or at `/bin/bash`",
  },
  "client-damaged": {
    level: "error",
    meaning: "the compiled client is not the program that was compiled, or other users can change it",
  },
  "state-unwritable": { level: "error", meaning: "the state directory cannot be written: no log, daemon or state" },
  "parent-settings": {
    level: "warning",
    meaning:
      "the settings of a parent directory other than your home have hooks, which do not apply in the current one, or cannot be read",
  },
  "never-runs": {
    level: "warning",
    meaning: 'a handler is registered for a tool or event that does not exist, such as `preTool("Bsh")`; it never runs',
  },
  "install-drift": {
    level: "warning",
    meaning: "something differs from what was installed. An error when a file of the install cannot be read",
  },
  "http-entry": {
    level: "warning",
    meaning:
      "entries reach the app over http, where a process that takes the port gets the token and can decide. A note when you accepted it",
  },
  "client-stale": { level: "warning", meaning: "the compiled client was made from an earlier state of its package" },
  "token-readable": {
    level: "warning",
    meaning: "a settings file that contains a token is readable by other users",
  },
  "daemon-stale": { level: "warning", meaning: "the daemon has another version than the package" },
  "code-changed": {
    level: "note",
    meaning: "the code has changed since it was installed, so its handlers are not known; `hookline test` checks them",
  },
  "client-script": {
    level: "note",
    meaning: "the client script does the work although the client could be compiled here",
  },
  "client-none": { level: "note", meaning: "every call starts Node: no C compiler and no Perl, or no bash" },
  "handler-slow": {
    level: "note",
    meaning: "the slowest 5 % of a handler's calls take over a second. Some handlers are slow on purpose",
  },
} as const satisfies Readonly<Record<string, Pick<Finding, "level"> & { readonly meaning: string }>>;

export type InstallFindingCode = keyof typeof installFindingCodes;
