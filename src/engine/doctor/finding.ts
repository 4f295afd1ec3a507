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

/** The level of every finding except the warnings from loading settings. */
const levels = {
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
} as const satisfies Readonly<Record<string, Finding["level"]>>;

export function finding(code: keyof typeof levels, message: string, place: string): Finding {
  return { level: levels[code], code, message, place };
}
