import { execFile } from "node:child_process";
import { type Processes, type ProcessRow, signal } from "./process-list.ts";

/** The processes of systems without `/proc`, as `ps` shows them. Environments are not among it, so there are no tags. */
export const ps: Processes = { list, isAlive: ({ pid }) => signal(pid, 0) !== "gone", signal };

function list(): Promise<ProcessRow[]> {
  return new Promise((resolve) => {
    const options = { timeout: patienceMs, maxBuffer: 16 * 2 ** 20, env: { PATH: "/bin:/usr/bin", LC_ALL: "C" } };
    // A `ps` that fails or hangs is an empty list: groups are all there is then.
    execFile("ps", psArguments, options, (error, stdout) => resolve(error === null ? rowsOf(stdout) : []));
  });
}

export function rowsOf(stdout: string): ProcessRow[] {
  return stdout.split("\n").flatMap((line) => {
    const [, pid, ppid, pgid, state = "", startedAt = "", name = ""] = psLine.exec(line) ?? [];
    if (pid === undefined) return [];
    const zombie = state.startsWith("Z");
    return [
      {
        pid: Number(pid),
        ppid: Number(ppid),
        pgid: Number(pgid),
        sid: 0,
        startedAt,
        zombie,
        name,
        streams: [],
        tag: undefined,
      },
    ];
  });
}

const patienceMs = 300;

/** One `-o` per column: only so is an empty heading understood everywhere. */
const psArguments = [
  "-A",
  ...["pid", "ppid", "pgid", "stat", "lstart", "comm"].flatMap((column) => ["-o", `${column}=`]),
];

/** `lstart` is a date of five words. */
const psLine = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*?)\s*$/;
