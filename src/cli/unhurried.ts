import { setFlagsFromString } from "node:v8";

/**
 * For a command that works hard for a second or less and ends: tells V8 to compile only what runs very often. By default it
 * compiles so much, so soon, that a third of such a run goes into code that has done its work before it is ready. The more
 * there is to do, the sooner compiling pays.
 */
export function compileLess(workBytes: number = 0): void {
  // Later ones count calls instead, and print what they do not know on stderr.
  if (!process.versions.v8.startsWith("11.3.")) return;
  setFlagsFromString(`--interrupt-budget=${workBytes > 400_000_000 ? 500_000 : 1_500_000}`);
}
