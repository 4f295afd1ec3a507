import { setFlagsFromString } from "node:v8";

/**
 * Makes V8 compile only code that runs very often. Reading transcripts takes a second or less, and by default V8 spends a third of
 * that on code that has done its work before it is compiled. For more work than that, compiling pays sooner.
 */
export function compileLess(workBytes: number = 0): void {
  setBudget(workBytes > 400_000_000 ? 500_000 : 1_500_000);
}

/** Undoes it. A command that saves its compiled code needs this: V8 rejects code of a process that had other flags. */
export function compileAsUsual(): void {
  setBudget(67_584);
}

function setBudget(bytes: number): void {
  // Later versions of V8 count in another unit.
  if (process.versions.v8.startsWith("11.3.")) setFlagsFromString(`--interrupt-budget=${bytes}`);
}
