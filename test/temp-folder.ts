import { lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** Short: the path of a socket has room for a hundred characters. */
const prefix = "hookline-t-";

/**
 * Gives the run one folder for temporary files and takes it away at the end, together with all that tests forgot.
 * A run that was killed cannot tidy up; the next one does.
 */
export default function setup(): () => void {
  const outer = realpathSync(tmpdir());
  // Every project of a run calls this; they share the folder.
  if (basename(outer).startsWith(`${prefix}${process.pid}-`)) return () => undefined;
  for (const name of readdirSync(outer)) if (isLeftOver(join(outer, name), name)) remove(join(outer, name));
  const folder = mkdtempSync(join(outer, `${prefix}${process.pid}-`));
  for (const variable of ["TMPDIR", "TMP", "TEMP"]) process.env[variable] = folder;
  const end = (): void => remove(folder);
  // An interrupted run ends without its teardown.
  process.once("exit", end);
  return end;
}

function isLeftOver(path: string, name: string): boolean {
  const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
  if (!Number.isInteger(pid) || isAlive(pid)) return false;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return false;
  return process.getuid === undefined || stat.uid === process.getuid();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process lives as well.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Processes that tests started may still write while they end. */
function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
