/** Something a person should know about this machine's hooks. */
export interface Finding {
  readonly level: FindingLevel;
  readonly code: string;
  /** The thing, what is wrong with it, the way out. */
  readonly message: string;
  /** A file, or a hook's id. */
  readonly place?: string;
}

/** `error`: it does not work. `warning`: it does not do what it looks like, or is not safe. `note`: nothing is wrong. */
export type FindingLevel = "error" | "warning" | "note";

/** Every finding apart from the warnings of loading, with its meaning. The docs print this table. */
export const findingCodes = {
  "program-missing": "a hook starts a program that does not exist",
  "script-missing": "a hook runs a script that does not exist",
  "script-not-executable": "a hook starts a file that may not be executed",
  "shebang-broken": "the first line of a script names an interpreter that cannot be started",
  "hook-duplicate": "two equal hooks on one event: one of them never runs",
  "hook-off": "a key in some settings file switches the hook off",
  "hook-untrusted": "a hook of this folder waits for approval",
  "file-writable": "others may change a file that decides what runs",
  "user-hook": "a hook of yours that runs in every folder",
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
