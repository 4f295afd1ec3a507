import { analyseShell } from "../../src/permissions/internal.ts";
import type { Deeds } from "./bash-oracle.ts";
import { skippedConditions } from "./condition-violation.ts";
import { deniedFile } from "./file-violation.ts";
import { violations } from "./shell-violation.ts";

/** One line held against what bash did with it. */
export interface Comparison {
  /** Every answer about the line that is unsound, in words. */
  readonly unsound: readonly string[];
  readonly complete: boolean;
  /** Whether a command was given the denied file. */
  readonly given: boolean;
  readonly denied: boolean;
}

export function compare(line: string, deeds: Deeds): Comparison {
  const analysis = analyseShell(line, { cwd: deeds.cwd, home: deeds.cwd });
  const { given, decision } = deniedFile(line, deeds);
  return {
    unsound: [
      ...violations(analysis, deeds),
      ...(decision === "allow" ? given.map((call) => `allowed ${JSON.stringify(call)}`) : []),
      ...skippedConditions(line, deeds).map((rule) => `skipped ${rule}`),
    ],
    complete: analysis.complete,
    given: given.length > 0,
    denied: given.length > 0 && decision === "deny",
  };
}
