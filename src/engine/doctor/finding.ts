/** Something that `hookline doctor` reports about the hooks of this machine. */
export interface Finding {
  /** `error`: it does not work. `warning`: it has no effect, a surprising one, or is not safe. `note`: nothing is wrong. */
  readonly level: "error" | "warning" | "note";
  readonly code: string;
  /** Names the thing, the problem and the fix. */
  readonly message: string;
  /** A file or the id of a hook. */
  readonly place?: string;
}

/** Every finding except the warnings from loading settings. docs/warnings.md is printed from it. */
export const findingCodes = {
  "program-missing": { level: "error", meaning: "the program of a hook is not on PATH" },
  "script-missing": { level: "error", meaning: "a script that a hook runs does not exist, or is not a file" },
  "script-not-executable": { level: "error", meaning: "a script that a hook starts is not executable" },
  "shebang-broken": { level: "error", meaning: "the first line of a script names a program that cannot start it" },
  "url-refused": { level: "error", meaning: "Hookline's hosts never call the URL of an http hook" },
  "hook-off": { level: "warning", meaning: "a setting turns the hook off in Hookline's hosts" },
  "hook-untrusted": {
    level: "warning",
    meaning:
      "the hook is not approved, or has changed since: in Hookline's hosts it does not run, and a changed guard denies",
  },
  "file-writable": { level: "warning", meaning: "other users can change a file that decides what runs" },
  "hook-duplicate": { level: "note", meaning: "the hook is equal to another one and never runs" },
  "user-hook": { level: "note", meaning: "a hook of the user's settings, which runs in every directory" },
  "leftover-process": { level: "note", meaning: "a process that a hook started in this directory is still running" },
} as const satisfies Readonly<Record<string, Pick<Finding, "level"> & { readonly meaning: string }>>;

export function finding(code: keyof typeof findingCodes, message: string, place: string): Finding {
  return { level: findingCodes[code].level, code, message, place };
}
