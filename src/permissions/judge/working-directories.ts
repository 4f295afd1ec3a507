import { isWithin } from "../paths/contain.ts";
import type { ResolvedPath } from "../paths/resolve-path.ts";
import { asked, type Finding } from "./finding.ts";
import type { Desk } from "./judge-context.ts";
import type { Access } from "./judge-path.ts";

/**
 * What `permissions.blockReadsOutsideWorkingDirectories` and `blockWritesOutsideWorkingDirectories` say about a path: a file tool is
 * refused in every mode and whatever rules allow; a shell command that reads outside is asked about. As measured in 2.1.325.
 */
export function boundaryFinding(
  path: ResolvedPath,
  isInside: () => boolean,
  access: Access,
  desk: Desk,
): Finding | undefined {
  const { boundary } = desk.policy;
  if (!access.writes) {
    if (!boundary.reads || isInside() || isExempt(path, boundary.exempt)) return undefined;
    const why = `${path.given} is outside the working directories, and permissions.blockReadsOutsideWorkingDirectories is set`;
    return access.shell ? asked(desk.mode, "rule", why) : refused(why);
  }
  if (!boundary.writes || access.shell) return undefined;
  if (!isInside()) {
    return refused(
      `${path.given} is outside the working directories, and permissions.blockWritesOutsideWorkingDirectories is set`,
    );
  }
  if (!settingsFile.test(path.resolved)) return undefined;
  return refused(
    `${path.given} is a settings file, which could lift permissions.blockWritesOutsideWorkingDirectories, and that is set`,
  );
}

/** Every spelling of the path must be exempt: a link in an exempt folder does not lead out of it. */
function isExempt({ spellings }: ResolvedPath, exempt: readonly string[]): boolean {
  return spellings.every((spelling) => exempt.some((path) => isWithin(spelling, path)));
}

const settingsFile = /[\\/]\.claude[\\/]settings(?:\.local)?\.json$/i;

function refused(why: string): Finding {
  return { decision: "deny", by: "rule", stance: "deny", rule: null, why };
}
