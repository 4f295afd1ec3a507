/** Something that `hookline doctor` reports about the hooks of this machine. */
export interface Finding {
  readonly level: FindingLevel;
  readonly code: string;
  /** Names the thing, the problem and the fix. */
  readonly message: string;
  /** A file or the id of a hook. */
  readonly place?: string;
}

/** `error`: it does not work. `warning`: it has no effect, a surprising one, or is not safe. `note`: nothing is wrong. */
export type FindingLevel = "error" | "warning" | "note";

/** All findings except the warnings from loading settings, with their meanings. The docs print this table. */
export const findingCodes = {
  "program-missing": "a hook starts a program that does not exist",
  "script-missing": "a hook runs a script that does not exist",
  "script-not-executable": "a hook starts a file that is not executable",
  "shebang-broken": "the first line of a script names an interpreter that cannot be started",
  "hook-duplicate": "two equal hooks on one event: one of them never runs",
  "hook-off": "a key in a settings file switches the hook off",
  "hook-untrusted": "a hook of this folder waits for approval",
  "file-writable": "other users can change a file that decides what runs",
  "user-hook": "one of your own hooks, which runs in every folder",
  "leftover-process": "a process that a hook started still runs",
} as const;

export type FindingCode = keyof typeof findingCodes;

const levels: Readonly<Record<FindingCode, FindingLevel>> = {
  "program-missing": "error",
  "script-missing": "error",
  "script-not-executable": "error",
  "shebang-broken": "error",
  "hook-duplicate": "note",
  "hook-off": "warning",
  "hook-untrusted": "warning",
  "file-writable": "warning",
  "user-hook": "note",
  "leftover-process": "note",
};

export function finding(code: FindingCode, message: string, place?: string): Finding {
  return { level: levels[code], code, message, ...(place === undefined ? {} : { place }) };
}
